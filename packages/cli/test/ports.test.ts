import { fileURLToPath, pathToFileURL } from 'node:url';
import { type AhpClient, connect, type SessionHandle } from '@agenthost/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { jsonLines, Machine } from './cli-process.ts';

/** A real program with a web server, which the tests of the host use too. */
const PROGRAM = fileURLToPath(new URL('../../host/test/preview-program.ts', import.meta.url));

const machine = new Machine();
let client: AhpClient;
let session: SessionHandle;

beforeAll(async () => {
  const { line } = await machine.serve();
  client = await connect(line.wsUrl, { token: line.token });
  session = await client.sessions.create({ provider: 'demo' });
}, 30_000);

afterAll(async () => {
  client?.close();
  await machine.dispose();
});

test('agenthost ports lists the ports of programs, and prints an address that opens one', async () => {
  expect(await machine.run(['ports'])).toMatchObject({
    code: 0,
    out: '',
    err: 'no process of a session listens on a port\n',
  });
  await client.request('createTerminal', {
    channel: 'ahp-terminal:/program',
    cwd: pathToFileURL(process.cwd()).href,
    claim: { kind: 'session', session: session.uri, chat: session.chat.mirror.uri },
    'x-command': [process.execPath, PROGRAM],
  });
  await expect.poll(() => session.ports.length, { timeout: 20_000 }).toBe(1);
  const [{ port, pid } = { port: 0, pid: 0 }] = session.ports;
  const id = session.uri.replace('ahp-session:/', '').slice(0, 8);
  const listed = await machine.run(['ports']);
  expect(listed.out).toBe(
    `${id}  ${String(port).padStart(5)}  127.0.0.1  node preview-program.ts  pid ${pid}\n`,
  );
  const rows = jsonLines((await machine.run(['ports', id, '--json'])).out);
  expect(rows).toMatchObject([{ session: session.uri, port, process: 'node', title: 'preview-program.ts' }]);
  const opened = await machine.run(['ports', 'open', id, String(port)]);
  expect(opened).toMatchObject({ code: 0, err: 'open it in a browser within a minute; it works once\n' });
  expect(opened.out).toMatch(
    new RegExp(`^http://${port}-[a-z2-7]{16}\\.localhost:\\d+/__agenthost/open\\?ticket=ahp_[\\w-]{43}\\n$`),
  );
  const [shown] = jsonLines((await machine.run(['ports', 'open', String(port), '--json'])).out);
  expect(shown).toMatchObject({ session: session.uri, port, url: expect.stringContaining('?ticket=') });
  expect(await machine.run(['ports', 'open', '1'])).toMatchObject({
    code: 1,
    err: expect.stringContaining('no process of a session listens on port 1; '),
  });
  expect(await machine.run(['ports', 'open', 'x'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('expected a port, or a session and a port, got x'),
  });
});
