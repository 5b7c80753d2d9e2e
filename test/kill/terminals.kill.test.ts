import { existsSync } from 'node:fs';
import { mkdtemp, realpath, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { ClaimTarget, TerminalCatalogue } from '@agenthost/client';
import type { TerminalClaim, TerminalInfo } from '@agenthost/protocol';
import { SeededRandom } from '@agenthost/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { removeFolder } from '../remove-folder.ts';
import { BuildTerminal, Transcript } from './build-terminal.ts';
import { HostProcess } from './host-process.ts';
import { endKeepers, isAlive, keeperPids, until } from './processes.ts';
import { buildJob } from './terminal-job.ts';
import { Witness } from './witness.ts';

const WAVES = 5;
const TERMINALS = 10;
const SESSION = 'ahp-session:/killed';
const CHAT = 'ahp-chat:/killed-terminals';
const player = join(import.meta.dirname, 'play-job.ts');

const random = new SeededRandom(Number(process.env['SEED'] ?? 1));
const counts = {
  terminals: 0,
  kills: 0,
  duringJobs: 0,
  atTheEnd: 0,
  interruptedStarts: 0,
  endedWithoutHost: 0,
  replays: 0,
  snapshots: 0,
  lines: 0,
  characters: 0,
  typed: 0,
  typedWhileDown: 0,
  typedUnheard: 0,
  lostInput: 0,
  lateViews: 0,
};
let folder = '';
let host: HostProcess;
let watcher: Witness;
let catalogue: TerminalCatalogue;

const url = (): string => `${host.address.wsUrl}?token=${host.address.token}`;

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'agenthost-terminals-kill-')));
  host = new HostProcess(join(folder, 'data'), folder);
  await host.start();
  watcher = new Witness('watcher', url);
  await watcher.client.connect();
  // Clients that come late are compared with the whole output.
  const root = await watcher.client.subscribe('ahp-root://');
  const config = { terminalScrollbackKilobytes: 1_024 };
  await expect(root.dispatch({ type: 'root/configChanged', config })).resolves.toMatchObject({
    outcome: 'accepted',
  });
  await watcher.client.request('createSession', { channel: SESSION, provider: 'demo' });
  await watcher.client.request('createChat', { channel: SESSION, chat: CHAT });
  catalogue = await watcher.client.terminals();
}, 60_000);

afterAll(async () => {
  watcher.client.close();
  await host.stop();
  await endKeepers(join(folder, 'data'));
  await removeFolder(folder);
});

describe('a host that is killed while builds run in its terminals', () => {
  test('[CONN-6] [TERM-3] [TERM-5] [TERM-6] loses and duplicates no output, input, exit code or claim', async () => {
    for (let wave = 0; wave < WAVES; wave += 1) await playWave(wave);
    await host.stop();
    counts.replays = watcher.reconnects.filter((how) => how === 'replay').length;
    const keepers = await keeperPids(join(folder, 'data'));
    for (const pid of keepers) await until(`keeper ${pid} has ended`, () => !isAlive(pid));
    process.stdout.write(
      `kill test of terminals: ${JSON.stringify({ ...counts, keepers: keepers.length })}\n`,
    );
    expect(counts.terminals).toBe(WAVES * TERMINALS);
    expect(counts.kills).toBeGreaterThanOrEqual(3 * WAVES);
    expect(counts.duringJobs).toBeGreaterThanOrEqual(WAVES * TERMINALS);
    expect(counts.atTheEnd).toBe(WAVES);
    expect(counts.interruptedStarts).toBeGreaterThan(0);
    expect(counts.endedWithoutHost).toBeGreaterThanOrEqual(5);
    const reconnects = watcher.reconnects.slice(1);
    expect(reconnects).toEqual(reconnects.map(() => 'replay'));
    expect(counts.replays).toBeGreaterThanOrEqual(counts.kills);
    expect(counts.lines).toBeGreaterThanOrEqual(300 * counts.terminals);
    expect(counts.typed).toBeGreaterThanOrEqual(100);
    expect(counts.typedWhileDown).toBeGreaterThan(0);
    expect(counts.typedUnheard).toBeGreaterThan(10);
    // Input that a killed host has taken and not passed on is lost. The host does not store input, since it may be a password.
    // How much that is depends on the machine's speed. Lines that the host has accepted are never lost (`expectComplete`).
    expect(counts.lostInput).toBeLessThanOrEqual(counts.typed / 2);
    // A keeper lives as long as its terminals, so a wave may share the keeper of the wave before it.
    expect(keepers.length).toBeGreaterThan(0);
  }, 600_000);
});

/** Runs ten builds at once. The host is killed once or more during them, and once at their end. */
async function playWave(wave: number): Promise<void> {
  const gate = join(folder, `gate-${wave}`);
  const builds = await Promise.all(
    Array.from({ length: TERMINALS }, async (_, index) =>
      startBuild(`${wave}-${index}`, gate, index % 2 === 0),
    ),
  );
  const late: Transcript[] = [];
  const lateWitness = new Witness(`late-${wave}`, url);
  try {
    await watcher.until(
      () => builds.every(({ pid }) => pid !== undefined),
      () => 'every build to begin',
    );
    await moveClaims(builds);

    await killWhen(builds, heldLength(builds) * (0.05 + 0.9 * random.next()));
    expect(builds.map(({ killCount }) => killCount)).toEqual(builds.map(() => 1));
    const endsAlone = wave % 2 === 0;
    if (endsAlone) await writeFile(gate, '');
    if (endsAlone && wave > 0) await untilSomeEnded(builds);
    await comeBack(builds);
    if (!existsSync(gate)) await writeFile(gate, '');

    await lateWitness.client.connect();
    for (const { terminal } of builds)
      late.push(new Transcript(await lateWitness.client.terminal(terminal.uri)));

    for (let more = random.chance(0.4) ? 2 : 1; more > 0; more -= 1) {
      const left = openLength(builds) - shownLength(builds);
      await killWhen(builds, shownLength(builds) + left * random.next());
      await comeBack(builds);
    }
    for (const build of builds) if (build.reads) build.type('end');
    await Promise.all(builds.map((build) => build.outcomes()));
    const exits = random.between(1, TERMINALS);
    await watcher.until(
      () => builds.filter(({ hasExited }) => hasExited).length >= exits,
      () => `the end of ${exits}: ${fatesOf(builds)}`,
    );
    await kill(builds);
    counts.atTheEnd += 1;
    await comeBack(builds);

    await watcher.until(
      () => allExited(builds),
      () => `the end of all: ${fatesOf(builds)}`,
    );
    await expectAll(builds, late);
  } finally {
    lateWitness.client.close();
  }
  for (const { terminal } of builds) await terminal.dispose();
  await watcher.until(() => catalogue.items.length === 0);
}

async function startBuild(name: string, gate: string, reads: boolean): Promise<BuildTerminal> {
  const job = buildJob(SeededRandom.of(Number(process.env['SEED'] ?? 1), name), { gate, reads });
  const script = join(folder, `${name}.json`);
  await writeFile(script, JSON.stringify(job.script));
  const terminal = await watcher.client.createTerminal({
    uri: `ahp-terminal:/${name}`,
    // The terminal does not echo typed keys, since an echo could appear anywhere in the output.
    command: ['/bin/sh', '-c', 'stty -echo; exec "$0" "$@"', process.execPath, player, script],
    cwd: pathToFileURL(folder).href,
    claim: random.chance(0.5) ? 'me' : { session: SESSION, chat: CHAT },
  });
  counts.terminals += 1;
  counts.lines += job.lineCount;
  return new BuildTerminal(job, terminal);
}

/** Changes the claims of some terminals. */
async function moveClaims(builds: readonly BuildTerminal[]): Promise<void> {
  for (const { terminal } of builds) {
    if (random.chance(0.6)) continue;
    const target: ClaimTarget = terminal.holder.kind === 'me' ? { session: SESSION, chat: CHAT } : 'me';
    expect(await terminal.claim(target)).toMatchObject({ outcome: 'accepted' });
  }
}

/** Types into the builds that read, as fast as possible until the end, and kills the host when this much output is shown. */
async function killWhen(builds: readonly BuildTerminal[], length: number): Promise<void> {
  for (const share of [0.3, 0.6, 0.9]) {
    const from = shownLength(builds);
    await shownAtLeast(builds, from + (length - from) * share);
    typeSome(builds);
  }
  await shownAtLeast(builds, length);
  // Some lines arrive although their outcome is lost; others arrive during the kill.
  watcher.isDeaf = random.chance(0.5);
  const typed = typeSome(builds);
  if (watcher.isDeaf) {
    counts.typedUnheard += typed;
    await pause(random.between(1, 150));
  }
  await kill(builds);
}

const shownAtLeast = (builds: readonly BuildTerminal[], length: number): Promise<void> =>
  watcher.until(
    () => shownLength(builds) >= length || allExited(builds),
    () => `${length} characters: ${fatesOf(builds)}`,
  );

/** Types a few lines at once. Returns their number. */
function typeSome(builds: readonly BuildTerminal[]): number {
  const before = typedCount(builds);
  for (const build of builds) {
    if (!build.reads || random.chance(0.3)) continue;
    for (let count = random.between(1, 3); count > 0; count -= 1)
      build.type(`line ${build.typedCount} é文🙂 ${random.hex(random.between(1, 60))}`);
  }
  return typedCount(builds) - before;
}

async function kill(builds: readonly BuildTerminal[]): Promise<void> {
  for (const build of builds) if (!build.hasExited) build.killCount += 1;
  counts.duringJobs += builds.filter(({ hasExited }) => !hasExited).length;
  await host.kill();
  counts.kills += 1;
  await watcher.offline();
  watcher.isDeaf = false;
  if (random.chance(0.5)) counts.typedWhileDown += typeSome(builds);
}

/** Starts the host, sometimes after a start that is killed. Expects the same claims and terminals as before. */
async function comeBack(builds: readonly BuildTerminal[]): Promise<void> {
  const claims = claimsOf(builds);
  const order = catalogue.items.map(({ resource }) => resource);
  if (random.chance(0.4)) await interruptStart();
  await host.start();
  await watcher.back();
  expect(claimsOf(builds)).toEqual(claims);
  // A terminal and the terminal list change in one tick, but come as two messages.
  await watcher.until(
    () => JSON.stringify(catalogue.items) === JSON.stringify(infosOf(builds, order)),
    () => `${JSON.stringify(infosOf(builds, order))} instead of ${JSON.stringify(catalogue.items)}`,
  );
}

/** Starts the host and kills it at a random time. */
async function interruptStart(): Promise<void> {
  const starting = host.start().then(
    () => 'started',
    (error: unknown) => String(error),
  );
  await Promise.race([starting, pause(random.between(100, 800))]);
  await host.kill();
  expect(await starting).toMatch(/^started$|ended \(SIGKILL\)/);
  await watcher.offline();
  counts.interruptedStarts += 1;
}

/** Fails unless every client, a new one included, has the whole output of every build. */
async function expectAll(builds: readonly BuildTerminal[], late: readonly Transcript[]): Promise<void> {
  const last = new Witness('last', url);
  try {
    await last.client.connect();
    const list = await last.client.terminals();
    expect(list.items).toEqual(catalogue.items);
    for (const [index, build] of builds.entries()) {
      await build.outcomes();
      counts.lostInput += build.lostLines.length;
      build.expectComplete(build.transcript.text, 'watcher');
      build.expectState(build.terminal, 'watcher');
      const joined = late[index];
      if (joined === undefined) throw new Error('nobody came late');
      await joined.terminal.exited;
      build.expectComplete(joined.text, 'late');
      build.expectState(joined.terminal, 'late');
      build.expectState(await last.client.terminal(build.terminal.uri), 'last');
      counts.snapshots += build.transcript.resetCount + joined.resetCount;
      counts.characters += build.job.shown.length;
      counts.typed += build.typedCount;
      counts.lateViews += 2;
    }
  } finally {
    last.client.close();
  }
}

/** Waits without a host for the builds that need no input. */
async function untilSomeEnded(builds: readonly BuildTerminal[]): Promise<void> {
  for (const { pid, job, hasExited } of builds) {
    if (pid === undefined || job.script.reads || hasExited) continue;
    await until(`build ${pid} has ended`, () => !isAlive(pid));
    counts.endedWithoutHost += 1;
  }
}

const claimsOf = (builds: readonly BuildTerminal[]): readonly TerminalClaim[] =>
  builds.map(({ terminal }) => terminal.mirror.confirmed.claim);

/** The expected items of the terminal list, in this order. */
const infosOf = (builds: readonly BuildTerminal[], order: readonly string[]): readonly TerminalInfo[] =>
  order.flatMap((resource) => {
    const state = builds.find(({ terminal }) => terminal.uri === resource)?.terminal.mirror.confirmed;
    if (state === undefined) return [];
    const { title, claim, lifecycle } = state;
    return [{ resource, title, claim, lifecycle }];
  });

const fatesOf = (builds: readonly BuildTerminal[]): string =>
  JSON.stringify(builds.map((build) => build.fate));

const shownLength = (builds: readonly BuildTerminal[]): number =>
  builds.reduce((sum, { transcript }) => sum + transcript.text.length, 0);

/** Least length of the output before reading builds are told to end. */
const openLength = (builds: readonly BuildTerminal[]): number =>
  builds.reduce(
    (sum, { job: { shown, script } }) => sum + shown.length - (script.reads ? 2 * script.farewell.length : 0),
    0,
  );

const typedCount = (builds: readonly BuildTerminal[]): number =>
  builds.reduce((sum, build) => sum + build.typedCount, 0);

/** Least length of the output while the gate is closed. */
const heldLength = (builds: readonly BuildTerminal[]): number =>
  builds.reduce(
    (sum, { job: { script } }) => sum + Buffer.from(script.text).subarray(0, script.heldAt).toString().length,
    0,
  );

const allExited = (builds: readonly BuildTerminal[]): boolean => builds.every(({ hasExited }) => hasExited);
