import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AhpClient, type Automations, connect, openAutomations } from '@agenthost/client';
import { type AutomationRunSummary, automationNotes, isRunOver } from '@agenthost/protocol';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { HostProcess } from './host-process.ts';
import { endKeepers } from './processes.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;
const DAILY = 'ahp-automation:/daily';
/** The host is killed before and after each of these commits. A run makes about as many: admission, session, its message, its end. */
const COMMITS = 6;
const preloads = ['test/kill/kill-at-commit.ts', 'test/faults/clock-preload.ts'].map(
  (file) => `--import=${join(import.meta.dirname, '../..', file)}`,
);

const counts: Record<string, number> = {};
let folder = '';
let host: HostProcess;
/** Days that the clock of the host is ahead of the first midnight. */
let day = 0;

const order = (): string => join(folder, 'order');
const offset = (): string => join(folder, 'offset');

/** The occurrence of a day. The clock of the host stands a little later after `setDay`. */
const midnight = (of: number): number => (Math.floor(Date.now() / DAY_MS) + of) * DAY_MS;
const scheduledFor = (of: number): string => new Date(midnight(of)).toISOString();

/** Sets the clock of the host, which reads the file at its start and at the signal, to five seconds after a midnight. */
async function setDay(next: number): Promise<void> {
  day = next;
  await writeFile(offset(), String(midnight(next) + 5_000 - Date.now()));
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agenthost-automations-'));
  await setDay(1);
  const env = [
    `NODE_OPTIONS=${preloads.join(' ')}`,
    `KILL_ORDER=${order()}`,
    `CLOCK_OFFSET_FILE=${offset()}`,
  ];
  host = new HostProcess(join(folder, 'data'), folder, [], ['env', ...env]);
  await host.start();
}, 60_000);

afterAll(async () => {
  await host.stop();
  await endKeepers(join(folder, 'data'));
  await rm(folder, { recursive: true, force: true });
}, 60_000);

/** Lets a client of its own work with the automations. */
async function withAutomations<T>(
  use: (automations: Automations, client: AhpClient) => Promise<T>,
): Promise<T> {
  const client = await connect(host.address.wsUrl, { token: host.address.token });
  try {
    return await use(await openAutomations(client), client);
  } finally {
    client.close();
  }
}

const runsOf = (automations: Automations, of: number): AutomationRunSummary[] =>
  (automations.find(DAILY)?.runs ?? []).filter(
    ({ origin }) => origin.kind === 'trigger' && origin.scheduledFor === scheduledFor(of),
  );

/** Resolves when the occurrence of a day has a run, and all runs have ended. */
function settled(automations: Automations, of: number): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      const { runs = [] } = automations.find(DAILY) ?? {};
      if (runsOf(automations, of).length === 0 || !runs.every(isRunOver)) return;
      stop();
      resolve();
    };
    const stop = automations.onChange(look);
    look();
  });
}

/** An edit lets the host look at its clock at once. */
const poke = (automations: Automations): Promise<unknown> =>
  automations.edit('ahp-automation:/idle', { title: `day ${day}` });

test('[AUTO-15] [RUN-2] [CONN-22] a host that is killed at each commit of a scheduled run makes one run of it, which ends', async () => {
  await withAutomations(async (automations) => {
    await automations.define({ title: 'Idle', message: 'say nothing' }, 'ahp-automation:/idle');
    await automations.define(
      {
        title: 'Daily',
        message: 'say hello',
        session: { provider: 'demo', workingDirectories: [`file://${folder}`] },
        triggers: [{ id: 'daily', kind: 'schedule', schedule: { expression: '0 0 * * *', timeZone: 'UTC' } }],
      },
      DAILY,
    );
  });
  for (let commit = 1; commit <= COMMITS; commit += 1)
    for (const moment of ['before', 'after']) await killAt(`${moment} ${commit}`);
  process.stdout.write(`kill test of automations: ${JSON.stringify(counts)}\n`);
  // Some runs were killed under way, and some occurrences had no run yet.
  expect(counts['failed']).toBeGreaterThan(0);
  expect(counts['completed']).toBeGreaterThan(0);
}, 600_000);

async function killAt(instant: string): Promise<void> {
  await setDay(day + 1);
  process.kill(host.address.pid, 'SIGUSR2');
  await withAutomations(async (automations, client) => {
    // The signal was handled before this answer.
    await client.ping();
    await writeFile(order(), instant);
    const gone = new Promise<void>((resolve) => {
      const stop = client.onStatus(({ state }) => {
        if (state === 'online') return;
        stop();
        resolve();
      });
    });
    // A run may make fewer commits than the test counts; further edits bring the missing ones.
    const more = setInterval(() => void poke(automations).catch(() => undefined), 300);
    await gone;
    clearInterval(more);
  });
  await host.kill();
  await rm(order());
  await host.start();
  await withAutomations(async (automations, client) => {
    await settled(automations, day);
    const runs = runsOf(automations, day);
    expect(runs, instant).toHaveLength(1);
    const [run] = runs;
    if (run === undefined) throw new Error(instant);
    counts[run.lifecycle.status] = (counts[run.lifecycle.status] ?? 0) + 1;
    const { state } = await automations.openRun(run.resource);
    expect(state.lifecycle, instant).toEqual(run.lifecycle);
    expect(state.sessions, instant).toHaveLength(run.sessionCount);
    for (const session of state.sessions) {
      const { chat } = await client.sessions.open(session);
      const { turns, activeTurn } = chat.mirror.confirmed;
      expect(activeTurn, instant).toBeUndefined();
      // The session came with its message, in one commit.
      expect(
        turns.map(({ message }) => message.text),
        instant,
      ).toEqual(['say hello']);
    }
  });
}

test('[AUTO-6] [AUTO-15] a host that was away for three occurrences makes up for them with one run, and tells of them', async () => {
  await host.kill();
  await setDay(day + 3);
  // The occurrences were an hour ago.
  await writeFile(offset(), String(midnight(day) + 3_600_000 - Date.now()));
  for (const start of ['first', 'second']) {
    await host.start();
    await withAutomations(async (automations) => {
      await settled(automations, day);
      const entry = automations.find(DAILY);
      expect(entry === undefined ? undefined : automationNotes(entry), start).toEqual({
        missed: { count: 3, last: scheduledFor(day), isMadeUp: true },
      });
      expect(
        [day - 2, day - 1, day].map((each) => runsOf(automations, each).length),
        start,
      ).toEqual([0, 0, 1]);
      expect(runsOf(automations, day)[0]?.origin, start).toMatchObject({ catchUp: true });
    });
    await host.kill();
  }
}, 120_000);
