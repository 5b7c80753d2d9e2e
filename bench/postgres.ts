import { pathToFileURL } from 'node:url';
import { findPrograms, TestServer } from '../packages/host/src/journal/postgres/postgres-server-fixture.ts';
import { alternate, compareQuantile, type Measured } from './bar.ts';
import { untilWhole } from './fan-out.ts';
import { compareCells, compareCommits } from './postgres-commits.ts';
import { BenchProcess, withFolder } from './process.ts';
import { newSession, WireClient } from './wire.ts';

const CELLS = 20;
const SUBSCRIBERS = 10;
const CHUNKS = 4_000;
const PER_SECOND = 100;
const ECHOES = 400;
const ECHO_ROUNDS = 3;

/**
 * A host with its sessions in PostgreSQL, on a server of its own on this machine whose commits are synced to disk: commits against the same inserts by
 * `pg` alone, fan-out and dispatch-to-echo against a host with a file. Measures nothing where PostgreSQL is not installed.
 */
export async function postgres(): Promise<Measured[]> {
  const programs = findPrograms();
  if (programs === undefined) return [];
  const server = await TestServer.start(programs, ['fsync=on', 'max_connections=200']);
  try {
    return [
      await compareCommits(server.url, { size: 50, atLeast: 0.6 }),
      await compareCommits(server.url, { size: 1, atLeast: 0.6 }),
      await compareCells(server.url, CELLS),
      ...(await compareHosts(server.url)),
    ];
  } finally {
    await server.stop();
  }
}

/** Two hosts that differ in their journals alone. */
function compareHosts(url: string): Promise<Measured[]> {
  return withFolder(async (folder) => {
    const hosts = [new BenchProcess('./fan-out-host.ts'), new BenchProcess('./fan-out-host.ts')] as const;
    const [ours, baseline] = hosts;
    try {
      const journal = { url, cell: 'hosts' };
      const { wsUrl } = await ours.ask<{ wsUrl: string }>({
        kind: 'start',
        folder: `${folder}/a`,
        journal,
      });
      const other = await baseline.ask<{ wsUrl: string }>({ kind: 'start', folder: `${folder}/b` });
      const urls = [wsUrl, other.wsUrl] as const;
      return [await compareFanOut(urls, folder), ...(await compareEchoes(urls, folder))];
    } finally {
      await Promise.all(hosts.map((host) => host.end()));
    }
  });
}

type Urls = readonly [ours: string, baseline: string];

async function compareFanOut([ours, baseline]: Urls, folder: string): Promise<Measured> {
  const subscribers = new BenchProcess('./fan-out-subscribers.ts');
  const drivers: WireClient[] = [];
  const turnsAt = async (url: string): Promise<() => Promise<number>> => {
    const driver = await WireClient.connect(url, 'driver');
    drivers.push(driver);
    const { chat } = await newSession(driver, pathToFileURL(folder).href);
    const message = {
      text: `stream ${CHUNKS} every 0`,
      origin: { kind: 'user' },
      model: { id: 'demo-fast' },
    };
    return () =>
      untilWhole(async () => {
        await subscribers.ask({ kind: 'connect', url, count: SUBSCRIBERS, chat });
        await subscribers.ask({ kind: 'expect', isRecorded: false });
        const startedAt = new Date().toISOString();
        driver.dispatch(chat, { type: 'chat/turnStarted', turnId: crypto.randomUUID(), startedAt, message });
        const { ms, envelopes } = await subscribers.ask<{ ms: number; envelopes: number }>({
          kind: 'receive',
        });
        return envelopes < CHUNKS * SUBSCRIBERS ? undefined : envelopes / ms;
      });
  };
  try {
    const [mine, theirs] = [await turnsAt(ours), await turnsAt(baseline)];
    await mine();
    await theirs();
    const found = await alternate(mine, theirs);
    const text = (perMs: number): string => `${Math.round(perMs)}k/s`;
    return {
      name: `PostgreSQL: fan-out to ${SUBSCRIBERS}, against SQLite`,
      figure: text(found.ours),
      baseline: text(found.baseline),
      ratio: found.ratio,
      bar: { atLeast: 0.4 },
    };
  } finally {
    await Promise.all(drivers.map((driver) => driver.close()));
    await subscribers.end();
  }
}

async function compareEchoes(urls: Urls, folder: string): Promise<Measured[]> {
  const bare = new BenchProcess('./echo-bare.ts');
  const dispatchers = [new BenchProcess('./echo-dispatcher.ts'), new BenchProcess('./echo-dispatcher.ts')];
  const times: number[][] = urls.map(() => []);
  try {
    let bareUrl: string | undefined;
    for (const [index, dispatcher] of dispatchers.entries()) {
      const at = pathToFileURL(folder).href;
      const { frame } = await dispatcher.ask<{ frame: string }>({
        kind: 'open',
        url: urls[index],
        folder: at,
      });
      bareUrl ??= (await bare.ask<{ url: string }>({ frame })).url;
    }
    for (let round = 0; round < ECHO_ROUNDS; round += 1) {
      for (const [index, dispatcher] of dispatchers.entries()) {
        const request = { kind: 'run', bareUrl, count: ECHOES, perSecond: PER_SECOND };
        const found = await dispatcher.ask<{ ours: number[] }>(request);
        // The first round warms up.
        if (round > 0) times[index]?.push(...found.ours);
      }
    }
  } finally {
    await Promise.all([bare, ...dispatchers].map((child) => child.end()));
  }
  const [ours = [], baseline = []] = times;
  const found = { ours, baseline };
  return [
    compareQuantile('PostgreSQL: dispatch to echo, p50, against SQLite', 0.5, found, 10),
    compareQuantile('PostgreSQL: dispatch to echo, p99, against SQLite', 0.99, found, 10),
  ];
}
