import { type ChannelKind, hasExited } from '@agenthost/protocol';
import { describe, expect, it } from 'vitest';
import type { Channel } from '../src/sync/channel.ts';
import { type HostFixture, startHost } from './host-fixture.ts';
import {
  inSession,
  openTerminal,
  outputOf,
  ownClaim,
  TERMINAL,
  terminalList,
  terminalState,
} from './terminal-fixture.ts';

describe('a terminal during its creation', () => {
  it('[SESS-3] [TERM-1] leaves no process when its session is disposed of at the last moment', async () => {
    const host = await startHost();
    const desk = await host.client();
    await host.session(desk);
    const { registry, path } = host.host.core.sync;
    const openOf = registry.openOf.bind(registry);
    // Disposes of the session right after the last asynchronous lookup of it.
    const goesBehind = <K extends ChannelKind>(kind: K, uri: string): Promise<Channel<K> | undefined> => {
      const opened = openOf(kind, uri);
      const isLast = kind === 'session' && host.ptys.ptys.length > 0;
      void opened.then((session) => {
        if (!isLast || session === undefined) return;
        queueMicrotask(() => path.transact('client', (tx) => registry.dispose(tx, session)));
      });
      return opened;
    };
    registry.openOf = goesBehind;
    const id = desk.ask('createTerminal', { channel: TERMINAL, claim: inSession });
    await host.run();
    expect(desk.answerTo(id)?.error).toMatchObject({ code: -32001 });
    expect(host.ptys.ptys.map(({ hasEnded }) => hasEnded)).toEqual([true]);
    expect(await terminalList(desk)).toEqual([]);
    await expect(desk.subscribe(TERMINAL)).rejects.toMatchObject({ code: -32008 });
  });
});

describe.each([TERMINAL, 'editor-terminal:/t'])('a terminal that a client has named %s', (uri) => {
  /** A host with such a terminal and some output in it. */
  async function setUp(outlivesHost: boolean): Promise<HostFixture> {
    const host = await startHost({ outlivesHost });
    const desk = await host.client('desk');
    await desk.request('createTerminal', { channel: uri, claim: ownClaim(desk) });
    host.ptys.last.output('before ');
    await host.advance(10);
    return host;
  }

  it('[CONN-8] continues when its program outlives the host', async () => {
    const host = await setUp(true);
    await host.restart();
    host.ptys.last.output('after');
    await host.advance(10);
    const again = await host.client('desk');
    expect(outputOf(await terminalState(again, uri))).toBe('before after');
    await again.act(uri, { type: 'terminal/input', data: 'x' });
    expect(host.ptys.last.keys).toBe('x');
    expect(host.ptys.last.hasEnded).toBe(false);
  });

  it('[CONN-8] has ended when its program ended with the host', async () => {
    const host = await setUp(false);
    await host.restart();
    const again = await host.client('desk');
    expect(hasExited(await terminalState(again, uri))).toBe(true);
    expect((await terminalList(again)).every(hasExited)).toBe(true);
    expect(await host.journal.listOpen()).not.toContain(uri);
  });
});

describe('a host that cannot read the open channels of the host before it', () => {
  const OTHER = 'ahp-terminal:/other';

  /** Kills the host. The next host finds a part of the terminal's row damaged; the returned function repairs it. */
  async function restartTorn(host: HostFixture, part: 'state' | 'local'): Promise<() => void> {
    host.kill();
    const { channels } = host.journal.disk;
    const row = channels.get(TERMINAL);
    if (row === undefined) throw new Error('there is no such terminal');
    channels.set(TERMINAL, { ...row, [part]: '{"torn' });
    await host.start();
    await host.run();
    return () => void channels.set(TERMINAL, row);
  }

  it('[CONN-8] leaves programs running that may belong to such a terminal, and continues them when it can', async () => {
    const host = await startHost({ outlivesHost: true });
    const desk = await host.client('desk');
    await openTerminal(host, desk);
    await desk.request('createTerminal', { channel: OTHER, claim: ownClaim(desk) });
    const [pty, other] = host.ptys.ptys;
    if (pty === undefined || other === undefined) throw new Error('two were started');
    pty.output('before ');
    await host.advance(10);

    const mend = await restartTorn(host, 'local');
    expect(host.logged).toEqual([
      'cannot read a channel that an earlier host left open',
      'left programs running that no terminal shows: they may be those of one that cannot be read',
    ]);
    expect(pty.hasEnded).toBe(false);
    other.output('read on');
    await host.advance(10);
    expect(outputOf(await terminalState(await host.client('desk'), OTHER))).toBe('read on');

    host.kill();
    mend();
    pty.output('after');
    await host.start();
    const again = await host.client('desk');
    expect(outputOf(await terminalState(again))).toBe('before after');
    await again.act(TERMINAL, { type: 'terminal/input', data: 'x' });
    expect(pty.keys).toBe('x');
  });

  it('[CONN-8] leaves the output of such a program in its pty, and shows it when the terminal can be read', async () => {
    const host = await startHost({ outlivesHost: true });
    await openTerminal(host, await host.client('desk'));
    host.ptys.last.output('before ');
    await host.advance(10);
    const mend = await restartTorn(host, 'state');
    host.ptys.last.output('after');
    await host.advance(100_000);
    // Retried every half minute.
    const told = 'could not load a terminal: its output waits in the pty';
    expect(host.logged).toEqual([told, told, told, told]);
    mend();
    await host.advance(40_000);
    expect(outputOf(await terminalState(await host.client('desk')))).toBe('before after');
    expect(host.ptys.last.acknowledged).toBe('before after'.length);
  });

  it('[CONN-8] [TERM-6] ends such a program when its terminal is disposed of', async () => {
    const host = await startHost({ outlivesHost: true });
    await openTerminal(host, await host.client('desk'));
    const mend = await restartTorn(host, 'local');
    expect(host.ptys.last.hasEnded).toBe(false);
    mend();
    const again = await host.client('desk');
    await again.request('disposeTerminal', { channel: TERMINAL });
    await host.run();
    expect(host.ptys.last.hasEnded).toBe(true);
  });
});
