import { pathToFileURL } from 'node:url';
import { findPrograms, TestServer } from '../packages/host/src/journal/postgres/postgres-server-fixture.ts';
import type { Measured } from './bar.ts';
import { BenchProcess, withFolder } from './process.ts';
import { newSession, WireClient } from './wire.ts';

/** Size of the fleet. */
export interface FleetChoice {
  readonly cells: number;
  readonly gateways: number;
  readonly clients: number;
}

/** Small, since a machine with few cores runs everything: hosts, gateways, clients and the server. */
export const DEFAULT_FLEET: FleetChoice = { cells: 4, gateways: 2, clients: 80 };

const TOKEN = 'bench-token-of-forty-three-characters-long-x';
/** Hosts in one process. */
const CELLS_PER_PROCESS = 5;
const CLIENT_PROCESSES = 4;
/** Envelopes a second that all clients together get when all cells stream. Two cores that also run hosts and clients deliver more. */
const OFFERED_PER_SECOND = 2_000;
/** A cell commits each envelope alone, at most ten a second, as an agent that writes an answer does. */
const LEAST_EVERY_MS = 100;
const WARM_UP_MS = 1_500;
const WINDOW_ENVELOPES = 15;
const LEAST_WINDOW_MS = 5_000;

/** A cell with the chat that its clients watch. */
interface Cell {
  readonly path: string;
  readonly driver: WireClient;
  readonly chat: string;
}

/**
 * Cells on one database behind gateways. In each of some cells a turn streams at a steady rate to the clients of the cell. The throughput of all cells
 * against that of one cell times their number: 1 is a straight line. Measures nothing where PostgreSQL is not installed.
 */
export async function fleet({ cells, gateways, clients }: FleetChoice): Promise<Measured[]> {
  const programs = findPrograms();
  if (programs === undefined) return [];
  const server = await TestServer.start(programs, ['fsync=on', 'max_connections=400']);
  try {
    return await withFolder((folder) => measure(server.url, folder, { cells, gateways, clients }));
  } finally {
    await server.stop();
  }
}

async function measure(url: string, folder: string, choice: FleetChoice): Promise<Measured[]> {
  const names = Array.from({ length: choice.cells }, (_, index) => `cell-${index}`);
  const hosts = Array.from(
    { length: Math.ceil(choice.cells / CELLS_PER_PROCESS) },
    () => new BenchProcess('./fleet-hosts.ts'),
  );
  const gateways = Array.from({ length: choice.gateways }, () => new BenchProcess('./fleet-gateway.ts'));
  const watchers = Array.from({ length: CLIENT_PROCESSES }, () => new BenchProcess('./fleet-clients.ts'));
  const drivers: WireClient[] = [];
  try {
    for (const [index, host] of hosts.entries()) {
      const own = names.slice(index * CELLS_PER_PROCESS, (index + 1) * CELLS_PER_PROCESS);
      await host.ask({ url, folder, cells: own, token: TOKEN });
    }
    const addresses: string[] = [];
    for (const gateway of gateways)
      addresses.push((await gateway.ask<{ url: string }>({ url, token: TOKEN })).url.replace('http', 'ws'));
    const cells: Cell[] = [];
    for (const name of names) {
      const path = `/h/${name}/ahp?token=${TOKEN}`;
      const driver = await WireClient.connect(`${addresses[0]}${path}`, `driver-${name}`);
      drivers.push(driver);
      cells.push({ path, driver, chat: (await newSession(driver, pathToFileURL(folder).href)).chat });
    }
    const perCell = Math.floor(choice.clients / choice.cells);
    for (const [index, watcher] of watchers.entries()) {
      const count = Math.floor(perCell / CLIENT_PROCESSES) + (index < perCell % CLIENT_PROCESSES ? 1 : 0);
      const targets = cells.map(({ path, chat }) => ({
        urls: addresses.map((address) => `${address}${path}`),
        chat,
      }));
      await watcher.ask({ kind: 'connect', targets, count });
    }
    const points: { cells: number; perSecond: number }[] = [];
    const everyMs = Math.max(LEAST_EVERY_MS, Math.ceil((choice.clients * 1_000) / OFFERED_PER_SECOND));
    for (const count of stepsTo(choice.cells)) {
      const perSecond = await throughput(cells.slice(0, count), watchers, everyMs);
      points.push({ cells: count, perSecond });
      console.error(`  ${count} cells: ${Math.round(perSecond)} envelopes/s delivered`);
    }
    const [first, last] = [points[0], points.at(-1)];
    if (first === undefined || last === undefined) return [];
    const straight = first.perSecond * last.cells;
    return [
      {
        name: `fleet: ${last.cells} cells, ${choice.gateways} gateways, ${perCell * choice.cells} clients`,
        figure: `${Math.round(last.perSecond)}/s`,
        baseline: `${last.cells} × ${Math.round(first.perSecond)}/s`,
        ratio: last.perSecond / straight,
        bar: { atLeast: 0.8 },
      },
    ];
  } finally {
    await Promise.all(drivers.map((driver) => driver.close()));
    await Promise.all([...watchers, ...gateways].map((child) => child.end()));
    await Promise.all(hosts.map((child) => child.end()));
  }
}

/** 1, 2, 5, 10, 20 … and the number itself. */
function stepsTo(most: number): number[] {
  const steps = [1, 2, 5, 10, 20, 50, 100].filter((step) => step < most);
  return [...steps, most];
}

/** Envelopes that all clients together receive in a second, while a turn streams in each of these cells. */
async function throughput(
  cells: readonly Cell[],
  watchers: readonly BenchProcess[],
  everyMs: number,
): Promise<number> {
  const windowMs = Math.max(LEAST_WINDOW_MS, WINDOW_ENVELOPES * everyMs);
  const turnId = crypto.randomUUID();
  const count = Math.ceil((2 * (WARM_UP_MS + windowMs)) / everyMs);
  const message = { text: `stream ${count} every ${everyMs}`, origin: { kind: 'user' } };
  for (const { driver, chat } of cells) {
    const startedAt = new Date().toISOString();
    driver.dispatch(chat, { type: 'chat/turnStarted', turnId, startedAt, message });
  }
  const counts = async (): Promise<number> => {
    const found = await Promise.all(
      watchers.map((watcher) => watcher.ask<{ envelopes: number }>({ kind: 'count' })),
    );
    return found.reduce((sum, { envelopes }) => sum + envelopes, 0);
  };
  await pause(WARM_UP_MS);
  const [before, startedAt] = [await counts(), performance.now()];
  await pause(windowMs);
  const [after, endedAt] = [await counts(), performance.now()];
  for (const { driver, chat } of cells)
    driver.dispatch(chat, { type: 'chat/turnCancelled', turnId, duration: windowMs });
  await pause(WARM_UP_MS);
  return ((after - before) * 1_000) / (endedAt - startedAt);
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
