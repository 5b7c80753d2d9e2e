import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { measuredHost, withFolder } from '../../bench/process.ts';
import { SlowReader } from '../../bench/slow-reader.ts';
import { newSession, WireClient } from '../../bench/wire.ts';
import { wireTurn } from '../../bench/wire-turn.ts';

test(
  'for a client that does not read, the host does a few steps for each envelope, whatever the size of its outbox',
  () =>
    withFolder(async (folder) => {
      const host = measuredHost({
        NODE_DISABLE_COMPILE_CACHE: '1',
      });
      try {
        await host.ask({ kind: 'countWork' });
        const { url } = await host.ask<{ url: string }>({ kind: 'start', folder, isShort: false });
        const owner = await WireClient.connect(url, 'owner');
        const { chat } = await newSession(owner, pathToFileURL(folder).href);
        await owner.request('subscribe', { channel: chat, view: { turns: 1 } });
        const work = async (): Promise<Map<string, number>> => {
          await host.ask({ kind: 'workDone' });
          await wireTurn(owner, chat, `stream ${ENVELOPES} every 0 of 200`);
          return host.ask<Map<string, number>>({ kind: 'workDone' });
        };
        await work();
        const alone = await work();
        const slow = await SlowReader.connect(url, 'slow', 1_000);
        slow.ask('subscribe', { channel: chat, view: { turns: 1 } });
        // Fills the operating system's buffers, and the outbox beyond the soft limit.
        await wireTurn(owner, chat, 'stream 1500 every 0 of 4000');
        const beside = await work();
        expect(slow.isOpen).toBe(true);
        const more = [...beside].map(([place, count]) => [place, count - (alone.get(place) ?? 0)] as const);
        // A block may run one and a half times for each envelope: no loop walks over the outbox.
        expect(more.filter(([, count]) => count > 1.5 * ENVELOPES)).toEqual([]);
        expect(
          more.filter(([place]) => place.includes('wire/connection/shared-envelopes.ts')).length,
        ).toBeGreaterThan(0);
        slow.close();
        await owner.close();
      } finally {
        await host.end();
      }
    }),
  60_000,
);

const ENVELOPES = 2_500;
