import type { Message } from '@agenthost/protocol';
import { userMessage } from '@agenthost/testkit';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { call, contents, edit, markdown, page } from '../../test/export-page.ts';
import { htmlPage } from './html-page.ts';

describe('a page of HTML', () => {
  test('has a policy that blocks all scripts and all loads', async () => {
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

  test('has only its own tags and attributes, whatever the content', async () => {
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

  test.each([
    ['[//]: # (a comment)', '<p>[//]: # (a comment)</p>'],
    ['[a](javascript:b)', 'a (javascript:b)'],
    ['[a](https://e.example "a title")', '>a</a> (a title)'],
    ['![a](file:///etc/passwd)', 'a (file:///etc/passwd)'],
    ['```js a word more\nb\n```', '<p class="note">js a word more</p>'],
  ])('shows all of %j', async (content, shown) => {
    expect(await page(htmlPage, { answer: [markdown(content)] })).toContain(shown);
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

  test('shows attached pictures, but none that can contain a script', async () => {
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

/** Fails unless every tag and attribute is one of the page's own, and every link leads to the page itself, the web or a mailbox. */
function expectHarmless(text: string): void {
  const body = text.slice(text.indexOf('<body>'));
  for (const [tag] of body.matchAll(/<[^>]*>/g)) {
    expect(tag).toMatch(
      /^<\/?(?:main|header|body|html|h[1-6]|p|a|dl|dt|dd|section|details|summary|figure|figcaption|pre|code|ul|ol|li|blockquote|hr|br|em|strong|del|div|table|thead|tbody|tr|th|td|span)(?: (?:(?:id|class|rel|start)="[^"<>]*"|href="(?:#|https?:\/\/|mailto:)[^"<>]*"))*>$/,
    );
  }
}
