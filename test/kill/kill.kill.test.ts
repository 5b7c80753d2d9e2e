import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ActionEnvelope, Turn } from '@agenthost/protocol';
import { SeededRandom, turnStarted } from '@agenthost/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { removeFolder } from '../remove-folder.ts';
import { Evidence } from './evidence.ts';
import { HostProcess } from './host-process.ts';
import { JournalReader } from './journal-reader.ts';
import { Witness } from './witness.ts';

const ROUNDS = 50;
const SESSION = 'ahp-session:/killed';
/** Prompts of turns that run when the host is killed. */
const LONG = [
  'stream 100000 every 2',
  'stream 100000 every 1 of 400',
  'think about it; parts 60; stream 100000 every 2',
  'list; progress 40 every 3; stream 100000 every 2',
  'stream 4000 every 0 of 50; hang',
  'stream 250 every 1; ask',
];
const SHORT = 'stream 200 every 1';
/** Prompts that still stream when they are resumed. */
const ENDLESS = /stream 100000/;

const random = new SeededRandom(Number(process.env['SEED'] ?? 1));
let folder = '';
let host: HostProcess;
let reader: JournalReader;
let witnesses: Witness[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agenthost-kill-'));
  host = new HostProcess(join(folder, 'data'), folder);
  reader = new JournalReader();
  await host.start();
  const url = (): string => `${host.address.wsUrl}?token=${host.address.token}`;
  witnesses = [new Witness('first', url), new Witness('second', url)];
  for (const { client } of witnesses) await client.connect();
  const [first, second] = witnesses;
  await first?.client.request('createSession', { channel: SESSION, provider: 'demo' });
  await first?.watch(SESSION);
  await second?.watch(SESSION, 40);
}, 60_000);

afterAll(async () => {
  for (const { client } of witnesses) client.close();
  await reader.close();
  await host.stop();
  await removeFolder(folder);
});

describe('a host that is killed again and again', () => {
  test('[CONN-4] [CONN-5] [CONN-6] [CONN-22] [CHAT-23] [ACT-8] loses nothing that a client has seen, and clients continue by replay', async () => {
    const counts = {
      ...{ kills: 0, withOpenTurn: 0, resumed: 0, replays: 0 },
      ...{ envelopesSeen: 0, merged: 0, journaled: 0 },
    };
    const evidence = new Evidence();
    const channels = [SESSION, witnesses[0]?.chat?.uri ?? ''];
    let turnId = '';
    let prompt = SHORT;
    /** Number of times that the present turn has begun. */
    let attempts = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const isLong = round % 4 !== 3;
      const isResumed = round % 4 === 2 && ENDLESS.test(prompt);
      if (isResumed) counts.resumed += 1;
      else {
        turnId = `turn-${round}`;
        prompt = isLong ? (LONG[round % LONG.length] ?? SHORT) : SHORT;
      }
      attempts = isResumed ? attempts + 1 : 1;
      for (const witness of witnesses) witness.forget();
      await start(turnId, isResumed ? undefined : prompt);
      await killDuring(turnId, isLong);
      const killedAt = Date.now();
      counts.kills += 1;

      const journal = await reader.read(join(folder, 'data'), evidence.lastJournaled, channels);
      evidence.add(journal);
      counts.journaled += journal.length;
      for (const { name, seen } of witnesses) {
        const publicly = seen.filter(({ action }) => action.type !== 'chat/turnsLoaded');
        if (name === 'first') expect(publicly.length, `round ${round}`).toBeGreaterThanOrEqual(100);
        counts.envelopesSeen += publicly.length;
        for (const envelope of publicly)
          if (evidence.expectJournaled(envelope) === 'merged') counts.merged += 1;
      }

      const wasOpen = evidence.isOpen(turnId);
      await host.start();
      await Promise.all(witnesses.map((witness) => witness.back()));
      counts.replays += witnesses.filter(({ reconnects }) => reconnects.at(-1) === 'replay').length;
      expect(
        witnesses.map(({ reconnects }) => reconnects.at(-1)),
        `round ${round}`,
      ).toEqual(['replay', 'replay']);
      await agree(round);
      const turn = witnesses[0]?.chat?.confirmed.turns.at(-1);
      expect(turn?.id).toBe(turnId);
      if (wasOpen) {
        counts.withOpenTurn += 1;
        expectCutOff(turn, { attempts, journal, killedAt });
      } else expect(turn?.state).toBe('complete');
      // The next journal must contain the envelopes of the restart and of the replays under the same numbers.
      for (const { seen } of witnesses) for (const envelope of seen) evidence.expectLater(envelope);
    }
    await host.kill();
    await Promise.all(witnesses.map((witness) => witness.offline()));
    evidence.add(await reader.read(join(folder, 'data'), evidence.lastJournaled, channels));
    for (const { privateNumbers } of witnesses) evidence.expectUnused(privateNumbers);
    process.stdout.write(`kill test: ${JSON.stringify(counts)}\n`);
    expect(counts.kills).toBe(ROUNDS);
    expect(counts.withOpenTurn).toBeGreaterThanOrEqual(25);
    expect(counts.resumed).toBeGreaterThanOrEqual(5);
    expect(counts.replays).toBe(2 * ROUNDS);
    expect(counts.envelopesSeen).toBeGreaterThanOrEqual(100 * ROUNDS);
    expect(counts.merged).toBeGreaterThan(0);
  }, 600_000);
});

/**
 * Checks that a turn has ended with an error that its agent can continue after, at a moment between the last journaled envelope and the kill
 * [CONN-22]. Each attempt left an error part.
 */
function expectCutOff(
  turn: Turn | undefined,
  parts: { attempts: number; journal: readonly ActionEnvelope[]; killedAt: number },
): void {
  expect(turn?.state).toBe('error');
  const errors = turn?.responseParts.filter(({ kind }) => kind === 'error');
  expect(errors).toEqual(
    Array.from({ length: parts.attempts }, () =>
      expect.objectContaining({
        error: expect.objectContaining({ errorType: 'hostRestarted' }),
        resumable: true,
      }),
    ),
  );
  expect(turn?.responseParts.at(-1)).toBe(errors?.at(-1));
  const endedAt = Date.parse(turn?.startedAt ?? '') + (turn?.duration ?? 0);
  expect(endedAt).toBeGreaterThanOrEqual(parts.journal.at(-1)?.['x-time'] ?? Number.NaN);
  expect(endedAt).toBeLessThanOrEqual(parts.killedAt);
}

/**
 * Starts a turn, or resumes the last one without a prompt, and causes a rejection, so that private envelopes take numbers too.
 */
async function start(turnId: string, prompt: string | undefined): Promise<void> {
  const [first, second] = witnesses;
  const started = await first?.chat?.dispatch(
    prompt === undefined ? { type: 'chat/turnResume', turnId } : turnStarted(turnId, prompt),
  );
  expect(started?.outcome).toBe('accepted');
  const refused = await second?.chat?.dispatch({ type: 'chat/turnCancelled', turnId: 'none', duration: 0 });
  expect(refused?.outcome).toBe('rejected');
}

/** Kills the host at a random time after both clients have received enough. A short turn ends first. */
async function killDuring(turnId: string, isLong: boolean): Promise<void> {
  const enough = 100 + random.int(60);
  const hasEnded = ({ chat }: Witness): boolean => chat?.confirmed.turns.at(-1)?.id === turnId;
  // The second client receives merged envelopes, which are fewer.
  const least = [enough, 3];
  await Promise.all(
    witnesses.map((witness, index) =>
      witness.until(() => witness.seen.length >= (least[index] ?? 0) && (isLong || hasEnded(witness))),
    ),
  );
  await host.kill();
  // Waits until the clients have received everything that was on its way at the kill.
  await Promise.all(witnesses.map((witness) => witness.offline()));
}

/** Checks that the mirrors of both clients equal the host's state. */
async function agree(round: number): Promise<void> {
  const auditor = new Witness(`auditor-${round}`, () => `${host.address.wsUrl}?token=${host.address.token}`);
  try {
    await auditor.client.connect();
    await auditor.watch(SESSION);
    for (const witness of witnesses) {
      await witness.client.ping();
      expect(witness.chat?.state, `${witness.name} in round ${round}`).toEqual(auditor.chat?.confirmed);
      expect(witness.session?.state, `${witness.name} in round ${round}`).toEqual(auditor.session?.confirmed);
    }
  } finally {
    auditor.client.close();
  }
}
