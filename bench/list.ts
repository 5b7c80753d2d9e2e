import { join } from 'node:path';
import { alternate, type Measured, median } from './bar.ts';
import { benchHost, withHost } from './host.ts';
import { withFolder } from './process.ts';
import { plainSessions, storeSessions } from './stored-sessions.ts';
import type { WireClient } from './wire.ts';

const MANY = 10_000;
const FEW = 50;
const PAGE = 50;
const TIMES = 40;

/** The first page of `listSessions` over a WebSocket, of a host with 10,000 sessions against one with a single page of sessions. */
export async function list(): Promise<Measured[]> {
  return withFolder(async (parent) => {
    const folders = { many: join(parent, 'many'), few: join(parent, 'few') };
    await storeSessions(folders.many, plainSessions(MANY));
    await storeSessions(folders.few, plainSessions(FEW));
    return withHost(benchHost(folders.many), ({ client: many }) =>
      withHost(benchHost(folders.few), async ({ client: few }) => {
        for (const client of [many, few]) await millisecondsEach(client);
        const { ours, baseline, ratio } = await alternate(
          () => millisecondsEach(many),
          () => millisecondsEach(few),
        );
        const text = (ms: number): string => `${ms.toFixed(2)} ms`;
        const name = `list ${PAGE} of ${MANY} sessions, not of ${FEW}`;
        return [{ name, figure: text(ours), baseline: text(baseline), ratio, bar: { atMost: 1.5 } }];
      }),
    );
  });
}

async function millisecondsEach(client: WireClient): Promise<number> {
  const times: number[] = [];
  for (let index = 0; index < TIMES; index += 1) {
    const startedAt = performance.now();
    const params = { channel: 'ahp-root://', limit: PAGE };
    const { items } = await client.request<{ items: unknown[] }>('listSessions', params);
    times.push(performance.now() - startedAt);
    if (items.length !== PAGE) throw new Error(`${items.length} sessions came`);
  }
  return median(times);
}
