import { createServer, type Server } from 'node:http';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ModelStage, textOf } from './model-chat.ts';

const PAGE = `<!doctype html><head><style>p { color: red }</style><script>if (1 < 2) alert('</p>')</script></head>
<body><h1>Fruit &amp; more</h1><!-- hidden --><p>Apples&#44;<br>pears &lt;3</p></body>`;

let stage: ModelStage;
let server: Server;
let port = 0;
let askedFor: string[] = [];
beforeEach(async () => {
  stage = new ModelStage();
  askedFor = [];
  server = createServer((request, response) => {
    askedFor.push(request.url ?? '');
    const send = (status: number, headers: Record<string, string>, body: string | Buffer): void => {
      response.writeHead(status, headers);
      response.end(body);
    };
    switch (request.url) {
      case '/page':
        return send(200, { 'content-type': 'text/html' }, PAGE);
      case '/away':
        return send(302, { location: `http://localhost:${port}/page` }, '');
      case '/near':
        return send(302, { location: '/page' }, '');
      case '/loop':
        return send(302, { location: '/loop' }, '');
      case '/big':
        return send(200, { 'content-type': 'text/plain' }, `begin ${'x'.repeat(3 * 1024 * 1024)} end`);
      case '/binary':
        return send(200, { 'content-type': 'image/png' }, Buffer.from([0, 1, 2, 3]));
      default:
        return send(404, { 'content-type': 'text/plain' }, 'nothing here');
    }
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  port = typeof address === 'object' && address !== null ? address.port : 0;
});
afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await stage.end();
});

/** The model fetches this URL. Resolves with what it got, and whether the call succeeded. */
async function fetched(url: string, isApproved = true) {
  stage.mock.on(
    { hasToolResult: false },
    { toolCalls: [{ name: 'fetch_url', arguments: JSON.stringify({ url }) }] },
  );
  stage.mock.on({ hasToolResult: true }, { content: 'Done.' });
  const { output, done } = (await stage.chat('openai')).prompt('Fetch it');
  if (url.startsWith('http'))
    (await output.callIn('pending-confirmation')).answer(
      isApproved ? { approved: true } : { approved: false, reason: 'denied' },
    );
  await done;
  expect(output.violations).toEqual([]);
  const text = stage.lastMessages.filter(({ role }) => role === 'tool').map(textOf)[0] ?? '';
  return { text, call: output.calls[0] };
}

test.each<readonly [string, RegExp, boolean]>([
  ['/page', /^HTTP 200, text\/html\n\nFruit & more\n*Apples,\n ?pears <3$/, true],
  ['/near', /Fruit & more/, true],
  ['/away', /^HTTP 302, text\/plain\n\nRedirects to http:\/\/localhost:\d+\/page$/, true],
  ['/loop', /redirects more than 5 times/, false],
  ['/big', /^HTTP 200, text\/plain\n\nbegin x+\n… \(\d+ characters left out\)/, true],
  ['/binary', /\(binary data, 4 bytes\)/, true],
  ['/none', /^HTTP 404[^]*nothing here/, false],
])('a page is fetched after approval: %s', async (path, expected, success) => {
  const { text, call } = await fetched(`http://127.0.0.1:${port}${path}`);
  expect(text).toMatch(expected);
  expect(text.length).toBeLessThan(50_000);
  expect(call?.shown).toMatchObject({ kind: 'fetch' });
  expect(call?.result?.success).toBe(success);
});

test('a page is not asked for when the person denies it, and other URLs are refused without a question', async () => {
  const { text } = await fetched(`http://127.0.0.1:${port}/page`, false);
  expect(text).toContain('denied');
  expect(askedFor).toEqual([]);
  stage.mock.clearFixtures();
  const { text: refused, call } = await fetched('file:///etc/passwd');
  expect(refused).toContain('expected an http or https URL');
  expect(call?.questions).toEqual([]);
});
