import type { ChannelKind } from '@agenthost/protocol';
import { describe, expect, it } from 'vitest';
import type { Channel } from '../src/sync/channel.ts';
import { SESSION, startHost } from './host-fixture.ts';
import { TERMINAL, terminalList } from './terminal-fixture.ts';

const inSession = { kind: 'session', session: SESSION } as const;

describe('a terminal that is just being made', () => {
  it('[SESS-3] [TERM-1] leaves no process when its session goes at the last moment', async () => {
    const host = await startHost();
    const desk = await host.client();
    await host.session(desk);
    const { registry, path } = host.host.core.sync;
    const openOf = registry.openOf.bind(registry);
    // The session goes right behind the last look at it that takes time.
    const goesBehind = <K extends ChannelKind>(kind: K, uri: string): Promise<Channel<K> | undefined> => {
      const opened = openOf(kind, uri);
      const isLast = kind === 'session' && host.ptys.ptys.length > 0;
      void opened.then((session) => {
        if (!isLast || session === undefined) return;
        queueMicrotask(() => path.transact('client', () => registry.dispose(session)));
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
