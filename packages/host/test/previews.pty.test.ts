import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type ClientRequest, request } from 'node:http';
import { createConnection } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { markedEnvironment } from '../src/agents/process-mark.ts';
import { gotHeaders, PreviewStage } from './preview-stage.ts';

test('a port that a process of a terminal opens is shown on the session, and goes when the process ends', async () => {
  const stage = await PreviewStage.start();
  const { port, terminal } = await stage.program();
  expect(stage.session.ports).toEqual([
    {
      port,
      address: '127.0.0.1',
      process: 'node',
      pid: expect.any(Number),
      title: 'preview-program.ts',
      url: `http://localhost:${port}`,
    },
  ]);
  const other = await stage.connect();
  const same = await other.sessions.open(stage.session.uri);
  expect(same.ports).toEqual(stage.session.ports);
  await stage.client.request('disposeTerminal', { channel: terminal });
  await stage.until(() => (same.ports.length === 0 ? true : undefined));
  expect(same.mirror.state._meta).toBeUndefined();
});

test('ports keep the other metadata, and belong to the session whose terminal has the process', async () => {
  const stage = await PreviewStage.start();
  await stage.session.setMetadata({ team: 'red' });
  const second = await stage.client.sessions.create();
  const one = await stage.program();
  const two = await stage.program(['0.0.0.0'], second);
  expect(stage.session.ports.map(({ port }) => port)).toEqual([one.port]);
  expect(second.ports).toMatchObject([{ port: two.port, address: '0.0.0.0' }]);
  expect(stage.session.mirror.state._meta).toMatchObject({ metadata: { team: 'red' } });
});

test('a process that outlives the shell that started it is found too', async () => {
  const stage = await PreviewStage.start();
  const program = `setsid ${process.execPath} -e 'require("net").createServer().listen(0, "127.0.0.1")' &`;
  await stage.run(['sh', '-c', `${program} exec sleep 600`]);
  const { pid = 0 } = await stage.until(() => stage.session.ports[0]);
  expect(stage.session.ports).toMatchObject([{ process: 'node' }]);
  process.kill(pid, 'SIGKILL');
  await stage.until(() => (stage.session.ports.length === 0 ? true : undefined));
});

/**
 * Runs a script as the process of the agent, and a turn meanwhile. The script prints the id of another process, whose port alone is shown. Ends both
 * processes with the test.
 */
async function expectPortOfAgent(script: string, env = process.env): Promise<void> {
  const stage = await PreviewStage.start();
  const agent = spawn(process.execPath, ['-e', `${script}; setInterval(() => {}, 1e6)`], { env });
  const ended = once(agent, 'exit');
  onTestFinished(async () => {
    agent.kill('SIGKILL');
    await ended;
  });
  const [printed] = await once(agent.stdout, 'data');
  const other = Number(String(printed));
  onTestFinished(() => void process.kill(other, 'SIGKILL'));
  stage.agent.pids = agent.pid === undefined ? [] : [agent.pid];
  const prompt = stage.session.prompt('start the server');
  await stage.until(() => stage.session.ports[0]);
  expect(stage.session.ports).toMatchObject([{ process: 'node', pid: other }]);
  stage.agent.turn.complete();
  await prompt.result;
}

test('a process that an agent started is found, and the own ports of the agent are not shown', async () => {
  const listen = 'require("net").createServer().listen(0, "127.0.0.1")';
  await expectPortOfAgent(
    `${listen}; require("child_process").spawn(process.execPath, ["-e", ${JSON.stringify(listen)}])
      .on("spawn", function () { console.log(this.pid) })`,
  );
});

test.runIf(process.platform === 'linux')(
  'a program that a shell of an agent left behind is found',
  async () => {
    const listen = 'require("net").createServer().listen(0, "127.0.0.1", () => console.log(process.pid))';
    const shell = `"${process.execPath}" -e '${listen}' & exit 0`;
    await expectPortOfAgent(
      `require("child_process").spawn("/bin/sh", ["-c", ${JSON.stringify(shell)}], { stdio: "inherit", detached: true })`,
      markedEnvironment({ PATH: process.env['PATH'] ?? '' }),
    );
  },
);

test('the page of a program is opened through the host, with the headers that it expects', async () => {
  const stage = await PreviewStage.start();
  const { port } = await stage.program();
  const signedIn = await stage.signIn(port);
  expect(signedIn.host).toMatch(new RegExp(`^${port}-[a-z2-7]{16}\\.localhost:${stage.previewPort}$`));
  const answer = await stage.asked(signedIn, '/a?b=c', {
    method: 'POST',
    body: 'hello',
    headers: {
      origin: signedIn.origin,
      referer: `${signedIn.origin}/page`,
      'x-forwarded-for': '10.1.1.1',
      forwarded: 'for=10.1.1.1',
      connection: 'x-own',
      'x-own': '1',
      'x-more': '2',
      cookie: `${signedIn.cookie}; mine=1; agenthost_token_4711=x`,
    },
  });
  expect(answer.status).toBe(200);
  expect(JSON.parse(answer.body)).toMatchObject({ method: 'POST', url: '/a?b=c', body: 'hello' });
  const got = gotHeaders(answer);
  expect(got).toMatchObject({
    host: `localhost:${port}`,
    origin: `http://localhost:${port}`,
    referer: `http://localhost:${port}/page`,
    'x-forwarded-for': '127.0.0.1',
    'x-forwarded-host': signedIn.host,
    'x-forwarded-proto': 'http',
    'x-more': '2',
    cookie: 'mine=1',
  });
  expect(got).not.toHaveProperty('forwarded');
  expect(got).not.toHaveProperty('x-own');
});

test('addresses, cookies and policies of a program stay within its preview', async () => {
  const stage = await PreviewStage.start();
  const { port } = await stage.program();
  const signedIn = await stage.signIn(port);
  const ask = (path: string) => stage.asked(signedIn, path);
  expect((await ask('/moved')).headers.location).toBe('/there?x=1#y');
  expect((await ask('/away')).headers.location).toBe('https://example.org/there');
  expect((await ask('/cookies')).headers['set-cookie']).toEqual(['own=1; Path=/; HttpOnly']);
  const { headers } = await ask('/withheld');
  expect(headers).toMatchObject({ 'x-kept': 'yes' });
  expect(headers).not.toHaveProperty('strict-transport-security');
  expect(headers).not.toHaveProperty('clear-site-data');
});

test('the head of a stream of events arrives before its first event', async () => {
  const stage = await PreviewStage.start();
  const { port } = await stage.program();
  const signedIn = await stage.signIn(port);
  const { host, cookie } = signedIn;
  const sent = request({
    host: '127.0.0.1',
    port: stage.previewPort,
    path: '/events',
    headers: { host, cookie },
    agent: false,
  }).end();
  const [response] = await once(sent, 'response');
  expect(response.headers['content-type']).toBe('text/event-stream');
  const data = once(response, 'data');
  await stage.asked(signedIn, '/event');
  expect(String((await data)[0])).toBe('data: one\n\n');
  sent.on('error', () => undefined);
  sent.destroy();
});

test('a WebSocket goes through in both directions, and the program sees its own origin', async () => {
  const stage = await PreviewStage.start();
  const { port } = await stage.program();
  const signedIn = await stage.signIn(port);
  const socket = stage.socket(signedIn);
  const [first] = await once(socket, 'message');
  expect(JSON.parse(String(first))).toEqual({
    origin: `http://localhost:${port}`,
    host: `localhost:${port}`,
  });
  const large = 'x'.repeat(300_000);
  const back = once(socket, 'message');
  socket.send(large);
  expect(String((await back)[0])).toBe(large);
  const refused = stage.socket(signedIn, '/refused');
  const [, response] = await once(refused, 'unexpected-response');
  expect(response.statusCode).toBe(403);
});

test('an answer that breaks off is not completed, and strange answers do no harm', async () => {
  const stage = await PreviewStage.start();
  const { port } = await stage.program();
  const signedIn = await stage.signIn(port);
  await expect(stage.asked(signedIn, '/cut')).rejects.toThrow('aborted');
  expect((await stage.asked(signedIn, '/strange')).body).toBe('ok');
  expect((await stage.asked(signedIn, '/switch')).status).toBe(502);
  expect((await stage.asked(signedIn, '/a')).status).toBe(200);
});

test('an address signs in one browser, once, and without it no request reaches the program', async () => {
  const stage = await PreviewStage.start();
  const { port } = await stage.program();
  const { url } = await stage.session.openPreview(port);
  const { host, pathname, search } = new URL(url);
  expect((await stage.ask(host, '/')).status).toBe(401);
  expect((await stage.ask(host, '/', { headers: { cookie: 'agenthost_preview=ahv_x' } })).status).toBe(401);
  expect(
    (await stage.ask(host, '/', { headers: { authorization: 'Bearer owner-token-of-sixteen' } })).status,
  ).toBe(401);
  expect((await stage.ask(host, pathname)).status).toBe(401);
  expect((await stage.ask(host, `${pathname}${search}`, { method: 'POST' })).status).toBe(405);
  const answer = await stage.ask(host, `${pathname}${search}`);
  expect(answer.status).toBe(303);
  const [cookie = ''] = answer.headers['set-cookie'] ?? [];
  expect(cookie).toMatch(/^agenthost_preview=ahv_[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=43200$/);
  expect((await stage.ask(host, `${pathname}${search}`)).status).toBe(401);
  const page = await stage.ask(host, '/', { headers: { accept: 'text/html' } });
  expect(page.body).toContain('<h1>Open this preview from agenthost</h1>');
  expect(page.headers['content-security-policy']).toContain("default-src 'none'");
  const upgrade = stage.socket({ host, origin: `http://${host}`, cookie: '' });
  const [, response] = await once(upgrade, 'unexpected-response');
  expect(response.statusCode).toBe(401);
});

test('foreign names, origins and sites are refused, also with the cookie', async () => {
  const stage = await PreviewStage.start();
  const { port } = await stage.program();
  const signedIn = await stage.signIn(port);
  const { host, cookie } = signedIn;
  for (const foreign of ['evil.example', `localhost:${stage.previewPort}`, `x.${host}`, '127.0.0.1', ''])
    expect((await stage.ask(foreign, '/', { headers: { cookie } })).status).toBe(421);
  const unknown = await stage.ask(host.replace(/-[a-z2-7]+/, '-aaaaaaaaaaaaaaaa'), '/', {
    headers: { cookie },
  });
  expect(unknown.status).toBe(404);
  const status = async (headers: object, method = 'GET'): Promise<number> =>
    (await stage.asked(signedIn, '/', { headers, method })).status;
  expect(await status({ origin: 'https://evil.example' })).toBe(403);
  expect(await status({ origin: 'null' })).toBe(403);
  expect(await status({ origin: `http://localhost:${port}` })).toBe(403);
  expect(await status({ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' })).toBe(403);
  expect(await status({ 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors' })).toBe(403);
  const link = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
  expect(await status(link)).toBe(200);
  expect(await status({ ...link, 'sec-fetch-dest': 'iframe' })).toBe(403);
  expect(await status(link, 'POST')).toBe(403);
  expect(await status({ 'sec-fetch-site': 'same-origin' })).toBe(200);
  const socket = stage.socket(signedIn, '/', { origin: 'https://evil.example' });
  const [, response] = await once(socket, 'unexpected-response');
  expect(response.statusCode).toBe(403);
});

test('no token of the host reaches the program', async () => {
  const stage = await PreviewStage.start();
  const { port } = await stage.program();
  const signedIn = await stage.signIn(port);
  const own = 'owner-token-of-sixteen';
  const answer = await stage.asked(signedIn, '/', {
    headers: {
      authorization: `Bearer ${own}`,
      cookie: `${signedIn.cookie}; a=${own}; b="${own}"; agenthost_token_1=s; __Host-agenthost_token=t; c=1`,
    },
  });
  expect(answer.body).not.toContain(own);
  expect(gotHeaders(answer)['cookie']).toBe('c=1');
  expect(gotHeaders(answer)).not.toHaveProperty('authorization');
  const kept = await stage.asked(signedIn, '/', { headers: { authorization: 'Bearer of-the-program' } });
  expect(gotHeaders(kept)['authorization']).toBe('Bearer of-the-program');
  expect((await stage.asked(signedIn, `/?token=${own}`)).status).toBe(400);
});

test('requests that are no requests for a path are refused', async () => {
  const stage = await PreviewStage.start();
  const { port } = await stage.program();
  const { host, cookie } = await stage.signIn(port);
  const raw = async (head: string): Promise<string> => {
    const socket = createConnection(stage.previewPort, '127.0.0.1');
    socket.write(head.replaceAll('\n', '\r\n'));
    let text = '';
    for await (const chunk of socket) text += String(chunk);
    return text.split('\r\n', 1)[0] ?? '';
  };
  const rest = `Host: ${host}\nCookie: ${cookie}\nConnection: close\n\n`;
  expect(await raw(`OPTIONS * HTTP/1.1\n${rest}`)).toContain(' 400 ');
  expect(await raw(`GET / HTTP/1.1\nHost: evil.example\n${rest}`)).toContain(' 400 ');
  expect(await raw(`CONNECT localhost:22 HTTP/1.1\n${rest}`)).toBe('');
  expect(await raw(`GET http://${host}/there HTTP/1.1\n${rest}`)).toContain(' 200 ');
  expect(await raw(`GET /__agenthost/other HTTP/1.1\n${rest}`)).toContain(' 421 ');
  expect(await raw(`GET / HTTP/1.1\nUpgrade: h2c\n${rest.replace('close', 'upgrade')}`)).toContain(' 400 ');
});

test('only ports that the session shows can be opened, and only by who may act', async () => {
  const stage = await PreviewStage.start();
  const { port } = await stage.program();
  const second = await stage.client.sessions.create();
  const open = (session: string, which: number) => stage.client.sessions.openPreview(session, which);
  await expect(open(second.uri, port)).rejects.toMatchObject({ code: -32008 });
  await expect(open(stage.session.uri, stage.address?.port ?? 0)).rejects.toMatchObject({ code: -32008 });
  await expect(open(stage.session.uri, 0)).rejects.toMatchObject({ code: -32008 });
  await expect(open(stage.session.uri, 70_000)).rejects.toMatchObject({ code: -32602 });
  await expect(open('ahp-session:/none', port)).rejects.toMatchObject({ code: -32001 });
  const { secret } = await stage.client.tokens.create({ scope: 'observe' });
  const observer = await stage.connect(secret);
  await expect(observer.sessions.openPreview(stage.session.uri, port)).rejects.toMatchObject({
    code: -32009,
  });
});

test('two clients open the same preview, and the end of one token ends only what it opened', async () => {
  const stage = await PreviewStage.start();
  const { port } = await stage.program();
  const token = await stage.client.tokens.create({ scope: 'interact' });
  const phone = await stage.connect(token.secret);
  const own = await stage.signIn(port);
  const others = await stage.signIn(port, phone);
  expect(others.host).toBe(own.host);
  const [ownSocket, otherSocket] = [stage.socket(own), stage.socket(others)];
  await Promise.all([once(ownSocket, 'message'), once(otherSocket, 'message')]);
  const closed = once(otherSocket, 'close');
  await stage.client.tokens.revoke(token.token.id);
  await closed;
  expect((await stage.asked(others, '/')).status).toBe(401);
  expect((await stage.asked(own, '/')).status).toBe(200);
  const back = once(ownSocket, 'message');
  ownSocket.send('still');
  expect(String((await back)[0])).toBe('still');
});

test('a killed program leaves a page that says so, and works again when it listens again', async () => {
  const stage = await PreviewStage.start();
  const { port, pid = 0 } = await stage.program();
  const signedIn = await stage.signIn(port);
  const socket = stage.socket(signedIn);
  await once(socket, 'message');
  const closed = once(socket, 'close');
  process.kill(pid, 'SIGKILL');
  await closed;
  await stage.until(() => (stage.session.ports.length === 0 ? true : undefined));
  const answer = await stage.asked(signedIn, '/', { headers: { accept: 'text/html' } });
  expect(answer.status).toBe(502);
  expect(answer.body).toContain('<h1>The program has ended</h1>');
  await stage.program(['127.0.0.1', String(port)]);
  expect((await stage.asked(signedIn, '/')).status).toBe(200);
});

test('a preview ends with its session', async () => {
  const stage = await PreviewStage.start();
  const { port } = await stage.program();
  const signedIn = await stage.signIn(port);
  const socket = stage.socket(signedIn);
  await once(socket, 'message');
  const closed = once(socket, 'close');
  await stage.client.request('disposeSession', { channel: stage.session.uri });
  await closed;
  expect((await stage.asked(signedIn, '/')).status).toBe(404);
});

test('a browser has at most 256 open requests, and further ones are refused until one ends', async () => {
  const stage = await PreviewStage.start();
  const { port } = await stage.program();
  const signedIn = await stage.signIn(port);
  const { host, cookie } = signedIn;
  const open = (): ClientRequest =>
    request({
      host: '127.0.0.1',
      port: stage.previewPort,
      path: '/events',
      headers: { host, cookie },
      agent: false,
    }).end();
  const sent = Array.from({ length: 256 }, open);
  for (const each of sent) each.on('error', () => undefined);
  const answers = await Promise.all(sent.map((each) => once(each, 'response')));
  expect(new Set(answers.map(([response]) => response.statusCode))).toEqual(new Set([200]));
  expect((await stage.asked(signedIn, '/a')).status).toBe(503);
  const [, refused] = await once(stage.socket(signedIn), 'unexpected-response');
  expect(refused.statusCode).toBe(503);
  // Another browser is not affected.
  expect((await stage.asked(await stage.signIn(port), '/a')).status).toBe(200);
  sent[0]?.destroy();
  await expect.poll(async () => (await stage.asked(signedIn, '/a')).status).toBe(200);
  for (const each of sent) each.destroy();
});
