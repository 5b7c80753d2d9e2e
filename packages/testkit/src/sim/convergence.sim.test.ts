import { VERSION_LINES } from '@agenthost/protocol';
import { expect, test } from 'vitest';
import type { LeastDeeds } from '../deeds/deed-counts.ts';
import { Report } from './report.ts';
import { simulate } from './simulate.ts';

/** `SEED=7` plays only that seed; `SEEDS=500` plays that many. */
const only = process.env['SEED'];
const SEEDS =
  only === undefined
    ? Array.from({ length: Number(process.env['SEEDS'] ?? 24) }, (_, index) => index + 1)
    : [Number(only)];
const RUN = { stepCount: 2_000, auditCount: 3 };

/**
 * Least number of applied and rejected deeds of each kind, so that each really occurs. About half of the
 * current counts, less for small counts, because every change of the host changes them.
 */
const LEAST: Required<LeastDeeds> = {
  'root/configChanged': [215, 205],
  'session/titleChanged': [179, 50],
  'session/isReadChanged': [118, 41],
  'session/isArchivedChanged': [132, 40],
  'session/activeClientSet': [387, 106],
  'session/activeClientRemoved': [44, 37],
  'session/configChanged': [127, 73],
  'session/workingDirectorySet': [83, 53],
  'session/workingDirectoryRemoved': [31, 34],
  'session/workingDirectoryReplaced': [11, 25],
  'chat/workingDirectorySet': [9, 22],
  'chat/workingDirectoryRemoved': [1, 0],
  'chat/turnStarted': [563, 387],
  'chat/toolCallConfirmed': [17, 70],
  'chat/toolCallComplete': [4, 4],
  'chat/toolCallResultConfirmed': [1, 0],
  'chat/toolCallContentChanged': [1, 1],
  'chat/turnCancelled': [26, 100],
  'chat/turnResume': [80, 130],
  'chat/truncated': [302, 177],
  'chat/pendingMessageSet': [247, 70],
  'chat/pendingMessageRemoved': [23, 78],
  'chat/queuedMessagesReordered': [86, 33],
  'chat/draftChanged': [258, 69],
  'chat/inputAnswerChanged': [3, 17],
  'chat/inputCompleted': [8, 48],
  'chat/isReadChanged': [31, 11],
  'chat/isArchivedChanged': [20, 10],
  'annotations/set': [1, 1],
  'annotations/updated': [1, 1],
  'annotations/removed': [1, 1],
  'annotations/entrySet': [1, 1],
  'annotations/entryRemoved': [1, 1],
  'terminal/input': [80, 362],
  'terminal/resized': [61, 153],
  'terminal/claimed': [99, 222],
  'terminal/titleChanged': [85, 25],
  'terminal/cleared': [27, 52],
  createChat: [16, 10],
  'fork of a chat': [2, 4],
  'side chat': [4, 1],
  disposeChat: [6, 6],
  moveChat: [4, 6],
  'reorder of chats': [3, 3],
  'fork of a session': [3, 10],
  createSession: [2, 1],
  disposeSession: [1, 5],
};

/** The same for clients of other implementations, which are fewer. */
const LEAST_FOREIGN: LeastDeeds = {
  'session/titleChanged': [8, 4],
  'session/isReadChanged': [3, 1],
  'session/isArchivedChanged': [3, 1],
  'session/activeClientSet': [8, 1],
  'session/workingDirectorySet': [1, 1],
  'chat/turnStarted': [10, 10],
  'chat/toolCallConfirmed': [2, 2],
  'chat/turnCancelled': [1, 4],
  'chat/turnResume': [0, 2],
  'chat/truncated': [2, 10],
  'chat/pendingMessageSet': [10, 2],
  'chat/draftChanged': [6, 2],
  'chat/inputAnswerChanged': [1, 0],
  'chat/inputCompleted': [1, 1],
  'terminal/titleChanged': [1, 0],
};

/** Least number of accepted actions of foreign clients of each version. */
const LEAST_OF_VERSION = 6;

const total = new Report();

test.each(SEEDS)(
  '[REC-1] [ACT-6] [CONN-2] [CONN-4] [CONN-5] [CONN-6] all clients converge with the host on the schedule of seed %i',
  async (seed) => {
    try {
      const report = await simulate({ seed, ...RUN });
      expect(report.of('audits')).toBe(RUN.auditCount);
      total.add(report);
    } catch (error) {
      throw new Error(`seed ${seed} failed; play it again with SEED=${seed}`, { cause: error });
    }
  },
  300_000,
);

test.skipIf(only !== undefined)('a seed gives the same run each time', async () => {
  const run = { seed: 7, stepCount: 800, auditCount: 1 };
  const first = await simulate(run);
  expect((await simulate(run)).toString()).toBe(first.toString());
});

test.skipIf(only !== undefined)('the schedules caused enough events of each kind', () => {
  process.stdout.write(`convergence, ${SEEDS.length} seeds:\n${total.toString()}\n`);
  expect(total.of('drops')).toBeGreaterThanOrEqual(1_000);
  expect(total.of('rejections')).toBeGreaterThanOrEqual(2743);
  expect(total.of('rebases')).toBeGreaterThanOrEqual(14959);
  expect(total.of('replayReconnects')).toBeGreaterThanOrEqual(1172);
  expect(total.of('snapshotReconnects')).toBeGreaterThanOrEqual(761);
  expect(total.deeds.tooFew(LEAST), 'deeds that hardly were').toEqual([]);
  expect(total.foreignDeeds.tooFew(LEAST_FOREIGN), 'deeds of foreign clients that hardly were').toEqual([]);
  expect(
    VERSION_LINES.filter((version) => (total.foreignVersions.get(version) ?? 0) < LEAST_OF_VERSION),
    'versions whose clients did hardly anything',
  ).toEqual([]);
  // The host ignores actions on disposed channels; clients rarely send them.
  expect(total.deeds.total('ignored')).toBeGreaterThan(0);
  expect(total.of('terminalExits')).toBeGreaterThan(0);
  expect(total.of('endedTerminals')).toBeGreaterThanOrEqual(80);
  expect(total.of('historyTerminals')).toBeGreaterThanOrEqual(5);
  expect(total.of('referencedInputs')).toBeGreaterThanOrEqual(2);
  expect(total.of('shellReports')).toBeGreaterThanOrEqual(699);
  expect(total.of('commandTurns')).toBeGreaterThanOrEqual(15);
  expect(total.of('searchHits')).toBeGreaterThanOrEqual(123);
  expect(total.of('revocations')).toBeGreaterThanOrEqual(9);
  expect(total.of('imports')).toBeGreaterThanOrEqual(3);
  expect(total.of('waitingContents')).toBeGreaterThanOrEqual(28);
  expect(total.of('workerChats')).toBeGreaterThanOrEqual(27);
  expect(total.of('lostAnswers')).toBeGreaterThanOrEqual(388);
  expect(total.of('renewals')).toBeGreaterThanOrEqual(370);
  expect(total.of('passingLives')).toBeGreaterThanOrEqual(156);
  expect(total.of('historyMeetings')).toBeGreaterThanOrEqual(368);
  expect(total.of('turnDrops')).toBeGreaterThanOrEqual(216);
});
