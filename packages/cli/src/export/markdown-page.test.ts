import type { ResponsePart } from '@agenthost/protocol';
import { userMessage } from '@agenthost/testkit';
import * as fc from 'fast-check';
import { lexer, walkTokens } from 'marked';
import { describe, expect, test } from 'vitest';
import { call, contents, edit, markdown, page } from '../../test/export-page.ts';
import { markdownPage } from './markdown-page.ts';

/** Fails unless all headings are the page's own, and the page hides nothing, loads nothing and defines no references. */
function expectOwnStructure(text: string): void {
  const tokens = lexer(text);
  const headings = tokens.flatMap((token) =>
    token.type === 'heading' && token.depth < 4 ? [token.depth] : [],
  );
  expect(headings).toEqual([1, 2, 3]);
  void walkTokens(tokens, (token) => {
    expect(['def', 'image']).not.toContain(token.type);
    if (token.type === 'html')
      expect(token.raw.trim()).toMatch(/^(?:<details>\n<summary>[^<>]*<\/summary>|<\/details>)$/);
  });
}

describe('a page of Markdown', () => {
  test('fences tool output with a longer fence than any inside', async () => {
    const printed = 'a\n````\nb\n```';
    expect(await page(markdownPage, { answer: [call(printed)] })).toContain(
      `Result\n\n\`\`\`\`\`\n${printed}\n\`\`\`\`\``,
    );
  });

  test('collapses reasoning, whose text cannot end the block, and shows diffs', async () => {
    const answer: ResponsePart[] = [{ kind: 'reasoning', id: 'r', content: 'so </details> there' }, edit];
    const text = await page(markdownPage, { answer, contents: [...contents] });
    expect(text).toContain('<details>\n<summary>Reasoning</summary>\n\nso &lt;/details> there\n\n</details>');
    expect(text).toContain(
      '```diff\n--- /w/a.txt\n+++ /w/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+<b>three</b>\n```',
    );
  });

  test.each([
    ['```js\nlet a', '```js\nlet a\n```'],
    ['~~~~\na\n~~~', '~~~~\na\n~~~\n~~~~'],
    ['```', '```\n```'],
    ['```\na\n```', '```\na\n```'],
    ['a\n\n<!-- b\n```\nc', 'a\n\n````html\n<!-- b\n```\nc\n````'],
    ['<script>\n\nb', '```html\n<script>\n\nb\n```'],
    ['- a\n- <!-- b', '- a\n- &lt;!-- b'],
    ['1. a\n   ```\n   b', '1. a\n   ```\n   b'],
    ['a `<b>` <https://e.example>', 'a `<b>` <https://e.example>'],
  ])('closes blocks that a part leaves open: %j', async (content, closed) => {
    const text = await page(markdownPage, { answer: [markdown(content), markdown('# next')] });
    expect(text).toContain(`\n${closed}\n\n#### next\n`);
    expect(lexer(text)).toContainEqual(expect.objectContaining({ type: 'heading', text: 'next' }));
  });

  test.each([
    ['a <!-- b --> c', 'a &lt;!-- b --> c'],
    ['a <? b ?>\n<![CDATA[ c ]]>', 'a &lt;? b ?>\n```html\n<![CDATA[ c ]]>\n```'],
    ['a <b>b</b> `<c>` and `` `<d>` ``', 'a &lt;b>b&lt;/b> `<c>` and `` `<d>` ``'],
    ['- <i>a</i>\n  ```html\n  <b>c</b>\n  ```', '- &lt;i>a&lt;/i>\n  ```html\n  <b>c</b>\n  ```'],
    ['| a |\n|-|\n| <!-- b --> |', '| a |\n|-|\n| &lt;!-- b --> |'],
    ['[//]: # (a comment)', '\\[//\\]: \\# (a comment)'],
    ['> [a]: <javascript:b> "c"', '> \\[a]: &lt;javascript:b> "c"'],
    ['[^1]: a note that nothing names', '\\[^1]: a note that nothing names'],
    [
      '[it][1], [1] and [two][]\n\n[1]: https://e.example/a "b"\n[two]: https://e.example/c',
      '[it](<https://e.example/a>), [1](<https://e.example/a>) and [two](<https://e.example/c>)\n\n' +
        '\\[1\\]: https://e.example/a "b"\n\n\\[two\\]: https://e.example/c',
    ],
    ['![](https://e.example/spy.png)', '[picture](<https://e.example/spy.png>)'],
    [
      '[a ![b](https://e.example/b.png)](https://e.example)',
      '[a [b](<https://e.example/b.png>)](https://e.example)',
    ],
    ['```js a word more\nb\n```', 'js a word more\n\n```js a word more\nb\n```'],
    ['[<https://e.example>[^1]: <b>', '```markdown\n[<https://e.example>[^1]: <b>\n```'],
    ['### Turn 2', '###### Turn 2'],
    ['Turn\n2\n===', '#### Turn 2'],
    ['[1]: https://e.example\n===', '\\[1\\]: https://e.example\n\n==='],
    ['1 < 2, a<b, **c** and [d](https://e.example)', '1 < 2, a&lt;b, **c** and [d](https://e.example)'],
  ])('shows all of %j', async (content, shown) => {
    const text = await page(markdownPage, { message: userMessage(content), answer: [markdown(content)] });
    expect(text).toContain(`\n${shown}\n`);
    expectOwnStructure(text);
  });

  // A search to the end of the text for each of them took minutes.
  test.each(['[\n', '> [\n', '[^\n'])(
    'of many beginnings of definitions that never end (%j) costs what other text does',
    async (beginning) => {
      const content = beginning.repeat(200_000);
      expect(await page(markdownPage, { answer: [markdown(content)] })).toContain(content.trimEnd());
    },
    30_000,
  );

  test('has only its own structure, whatever the content', async () => {
    const bits = fc.constantFrom(
      ...[
        '<',
        '>',
        '<!--',
        '-->',
        '<b>',
        '</details>',
        '<?',
        '<![CDATA[',
        '<script>',
        '<a href="',
        '"',
        '&lt;',
      ],
      ...[
        '[',
        ']',
        '](',
        ')',
        '[1]',
        '[1]: ',
        '![',
        '[^1]: ',
        'https://e.example ',
        '<https://e.example>',
        '\\\\',
      ],
      ...[
        '```',
        '~~~',
        '`',
        '``',
        '# ',
        '## Turn 2',
        '===',
        '---',
        '> ',
        '- ',
        '1. ',
        '    ',
        '\t',
        '| a |',
        '|-|',
      ],
      ...['\n', '\n', '\n\n', '\r', '\u2028', 'a', ' '],
    );
    const said = fc.array(bits, { maxLength: 25 }).map((list) => list.join(''));
    await fc.assert(
      fc.asyncProperty(said, said, async (one, other) => {
        const text = await page(markdownPage, {
          message: userMessage(one),
          answer: [
            markdown(other),
            { kind: 'reasoning', id: 'r', content: one },
            call(other, { displayName: one }),
          ],
          title: other,
        });
        expectOwnStructure(text);
      }),
      { numRuns: 200 },
    );
  });

  test('quotes messages, and shows questions with their answers', async () => {
    const question: ResponsePart = {
      kind: 'inputRequest',
      response: 'accept',
      request: {
        id: 'q',
        questions: [
          { kind: 'single-select', id: 's', message: 'Which?', options: [{ id: 'l', label: 'Large' }] },
          { kind: 'boolean', id: 'b', message: 'Sure?' },
        ],
        answers: { s: { state: 'submitted', value: { kind: 'selected', value: 'l' } } },
      },
    };
    const text = await page(markdownPage, {
      message: userMessage('# not a heading\nline'),
      answer: [question],
    });
    expect(text).toContain('### Turn 1\n\n> #### not a heading\n>\n> line\n');
    expect(text).toContain(
      '<summary>Asked: Which? (answered)</summary>\n\n*Which? → Large*\n\n*Sure? → (no answer)*',
    );
  });
});
