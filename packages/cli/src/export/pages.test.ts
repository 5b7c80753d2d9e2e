import type { ExportPart } from '@agenthost/client';
import type { ExportedTurn, Message, ResponsePart } from '@agenthost/protocol';
import { completedTurn, userMessage } from '@agenthost/testkit';
import * as fc from 'fast-check';
import { lexer } from 'marked';
import { describe, expect, test } from 'vitest';
import { htmlPage } from './html-page.ts';
import { markdownPage } from './markdown-page.ts';

async function* parts(turn: ExportedTurn, title: string): AsyncGenerator<ExportPart> {
  const at = '2026-01-01T00:00:00.000Z';
  yield {
    type: 'session',
    head: {
      format: 'agenthost-session',
      version: 1,
      exportedAt: at,
      host: 'agenthost 1',
      session: { resource: 'ahp-session:/s', provider: 'demo', title, status: 1, lifecycle: 'ready' },
    },
  };
  yield { type: 'chat', chat: { resource: 'ahp-chat:/c', title, status: 1, modifiedAt: at } };
  yield { type: 'turn', turn };
}

type Page = (parts: AsyncIterable<ExportPart>) => AsyncIterable<string>;

async function page(
  write: Page,
  said: { message?: Message; answer?: ResponsePart[]; title?: string; contents?: ExportedTurn['contents'] },
): Promise<string> {
  const { message = userMessage('hello'), answer = [], title = 'Title', contents = [] } = said;
  let text = '';
  const turn = { ...completedTurn('t'), message, responseParts: answer };
  for await (const piece of write(parts({ turn, contents }, title))) text += piece;
  return text;
}

const markdown = (content: string): ResponsePart => ({ kind: 'markdown', id: 'p', content });

const call = (text: string, more: object = {}): ResponsePart => ({
  kind: 'toolCall',
  toolCall: {
    toolCallId: 'c',
    toolName: 'tool',
    displayName: 'Tool',
    status: 'completed',
    invocationMessage: 'does it',
    confirmed: 'setting',
    success: true,
    pastTenseMessage: 'Did it',
    toolInput: '{"a":1}',
    content: [{ type: 'text', text }],
    ...more,
  },
});

const edit: ResponsePart = call('', {
  content: [
    {
      type: 'fileEdit',
      before: { uri: 'file:///w/a.txt', content: { uri: 'agenthost-content:/1' } },
      after: { uri: 'file:///w/a.txt', content: { uri: 'agenthost-content:/2' } },
    },
  ],
});
const contents = [
  { uri: 'agenthost-content:/1', encoding: 'utf-8', data: 'one\ntwo\n' },
  { uri: 'agenthost-content:/2', encoding: 'utf-8', data: 'one\n<b>three</b>\n' },
] as const;

describe('a page of HTML', () => {
  test('holds a policy under which nothing runs and nothing is loaded', async () => {
    const text = await page(htmlPage, {});
    expect(text).toMatch(
      /<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-[^']+'; img-src data:; base-uri 'none'; form-action 'none'">/,
    );
    expect(text).toContain('<meta name="viewport" content="width=device-width, initial-scale=1">');
    expect(text).toContain('prefers-color-scheme: dark');
  });

  test.each([
    '<script>alert(1)</script>',
    'a <img src=x onerror=alert(1)> b',
    '<div onclick="x">\n\nblock',
    '[click](javascript:alert(1))',
    '[click](<java\tscript:alert(1)>)',
    '[click](JAVASCRIPT:alert(1)) [vb](vbscript:x) [data](data:text/html,x) [file](file:///etc/passwd)',
    '![x](data:image/svg+xml;base64,AAAA)',
    '![x](https://tracker.example/x.png)',
    '<https://e.example/"onmouseover="x>',
    '```html\n</code></pre><script>x</script>\n```',
    '`</code><script>`',
    '| <script> |\n|-|\n| </table><script> |',
    '</title><script>x</script>',
    '\u001b]0;title\u0007\u0000x',
  ])('shows %j as text', async (content) => {
    const text = await page(htmlPage, {
      message: userMessage(content),
      answer: [
        markdown(content),
        { kind: 'reasoning', id: 'r', content },
        call(content, { displayName: content }),
      ],
      title: content,
    });
    expectHarmless(text);
    expect(text.match(/<title>[^<]*<\/title>/g)).toHaveLength(1);
    expect(text).not.toMatch(/[\u0000\u0007\u001b]/);
  });

  test('has only tags and attributes of its own, whatever was said', async () => {
    const bits = fc.constantFrom(
      '<',
      '>',
      '"',
      "'",
      '&',
      '`',
      '![',
      '](',
      ')',
      '\n',
      '- ',
      '<a href=x>',
      'x',
      '&lt;',
    );
    const run = fc.asyncProperty(fc.array(bits, { maxLength: 30 }), async (list) => {
      const text = await page(htmlPage, { answer: [markdown(list.join('')), call(list.join(''))] });
      expectHarmless(text);
    });
    await fc.assert(run, { numRuns: 300 });
  });

  test('links to web pages, and colours diffs', async () => {
    const text = await page(htmlPage, {
      answer: [markdown('[docs](https://e.example/?a=1&b=2)'), edit],
      contents: [...contents],
    });
    expect(text).toContain(
      '<a href="https://e.example/?a=1&amp;b=2" rel="noopener noreferrer nofollow">docs</a>',
    );
    expect(text).toContain('<span class="cut">-two</span>');
    expect(text).toContain('<span class="add">+&lt;b&gt;three&lt;/b&gt;</span>');
    expect(text).toContain('<figcaption>Changed /w/a.txt</figcaption>');
  });

  test('shows attached pictures, but none that could hold a script', async () => {
    const attached = (contentType: string): Message => ({
      ...userMessage('look'),
      attachments: [{ type: 'embeddedResource', label: 'p', data: 'AAAA', contentType }],
    });
    expect(await page(htmlPage, { message: attached('image/png') })).toContain(
      '<img src="data:image/png;base64,AAAA" alt="Attached: p">',
    );
    expect(await page(htmlPage, { message: attached('image/svg+xml') })).not.toContain('<img');
    expect(await page(htmlPage, { message: attached('image/png"onload="x') })).not.toContain('<img');
  });
});

/** Every tag is one of the page's own, with its own attributes, and leads to the page itself, the web or a mailbox. */
function expectHarmless(text: string): void {
  const body = text.slice(text.indexOf('<body>'));
  for (const [tag] of body.matchAll(/<[^>]*>/g)) {
    expect(tag).toMatch(
      /^<\/?(?:main|header|body|html|h[1-6]|p|a|dl|dt|dd|section|details|summary|figure|figcaption|pre|code|ul|ol|li|blockquote|hr|br|em|strong|del|div|table|thead|tbody|tr|th|td|span)(?: (?:(?:id|class|rel|start)="[^"<>]*"|href="(?:#|https?:\/\/|mailto:)[^"<>]*"))*>$/,
    );
  }
}

describe('a page of Markdown', () => {
  test('fences what tools printed with a longer fence than any inside', async () => {
    const printed = 'a\n````\nb\n```';
    expect(await page(markdownPage, { answer: [call(printed)] })).toContain(
      `Result\n\n\`\`\`\`\`\n${printed}\n\`\`\`\`\``,
    );
  });

  test('folds reasoning, which cannot end its fold, and shows diffs', async () => {
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
  ])('closes what a part leaves open: %j', async (content, closed) => {
    const text = await page(markdownPage, { answer: [markdown(content), markdown('# next')] });
    expect(text).toContain(`\n${closed}\n\n# next\n`);
    expect(lexer(text)).toContainEqual(expect.objectContaining({ type: 'heading', text: 'next' }));
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
    expect(text).toContain('### Turn 1\n\n> # not a heading\n> line\n');
    expect(text).toContain(
      '<summary>Asked: Which? (answered)</summary>\n\n*Which? → Large*\n\n*Sure? → (no answer)*',
    );
  });
});
