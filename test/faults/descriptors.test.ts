import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { agree } from '../agree.ts';
import type { HostProcess } from '../kill/host-process.ts';
import { quickly, seen, shows } from '../terminals/stage.ts';
import { begin, clientOf, hostOn, temporaryFolder } from './stage.ts';

/** Few enough to run out at once. */
const LIMIT = 110;

/** Opens a connection and keeps it. Resolves with `undefined` when the host refuses it. */
async function hold({ address }: HostProcess): Promise<WebSocket | undefined> {
  const socket = new WebSocket(address.wsUrl, { headers: { authorization: `Bearer ${address.token}` } });
  onTestFinished(() => socket.terminate());
  return new Promise((resolve) => {
    socket.once('open', () => resolve(socket));
    socket.once('error', () => resolve(undefined));
  });
}

describe.skipIf(process.platform === 'win32')('a host without a free file descriptor', () => {
  test('keeps its clients and its journal, refuses new connections, and accepts them again when others have closed', async () => {
    const folder = await temporaryFolder();
    const config = join(folder, 'agenthost.json');
    const agents = { other: { displayName: 'Other', command: '/bin/cat' } };
    await writeFile(config, JSON.stringify({ agents, defaultAgent: 'demo' }));
    const host = hostOn(
      join(folder, 'data'),
      folder,
      ['--config', config],
      ['sh', '-c', `ulimit -n ${LIMIT}; exec "$@"`, 'sh'],
    );
    const { client, session } = await begin(host, folder);
    const terminal = await client.createTerminal({ command: ['/bin/cat'] });
    const held: WebSocket[] = [];
    for (let socket = await hold(host); socket !== undefined; socket = await hold(host)) held.push(socket);
    expect(held.length).toBeGreaterThan(10);
    expect(held.length).toBeLessThan(LIMIT);

    // Connected clients go on.
    expect((await session.prompt(quickly('say on')).result).state).toBe('complete');
    await terminal.input('typed\n');
    await shows(terminal, /typed\s+typed/);
    // An operation that needs a descriptor fails with a message, and its turn ends.
    const ran = await session.prompt(quickly('run echo hello')).result;
    expect(ran.state).toMatch(/complete|error/);
    await client.createTerminal({ command: ['/bin/cat'] }).then(
      (other) => other.dispose(),
      (error: unknown) => expect(error).toMatchObject({ code: expect.any(Number) }),
    );
    // Recording the turns held descriptors that are free again.
    for (let socket = await hold(host); socket !== undefined; socket = await hold(host)) held.push(socket);
    // The host cannot start an agent's process. It reports that, and nothing waits for the process.
    const other = await client.sessions.create({ provider: 'other' });
    const failed = await seen(other.mirror, ({ creationError }) => creationError);
    expect(failed.message).toMatch(/EMFILE|too many open files/i);
    expect(await session.rename('still here')).toMatchObject({ outcome: 'accepted' });

    for (const socket of held.splice(0)) socket.terminate();
    await vi.waitFor(async () => expect(await hold(host)).toBeDefined(), { timeout: 30_000 });
    const another = await clientOf(host, 'another');
    const reopened = await another.sessions.open(session.uri);
    await agree(reopened.mirror, session.mirror);
    await agree(reopened.chat.mirror, session.chat.mirror);
    const again = await session.prompt(quickly('run echo hello')).result;
    expect(JSON.stringify(again)).toContain('hello');
    const fresh = await client.createTerminal({ command: ['/bin/cat'] });
    await fresh.input('again\n');
    await shows(fresh, /again\s+again/);
    await host.kill();
    await host.start();
    await client.whenOnline();
    await client.ping();
    expect(session.mirror.confirmed.title).toBe('still here');
    expect(host.errors).not.toMatch(/\n\s+at /);
  }, 60_000);
});
