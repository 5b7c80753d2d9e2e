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
  'root/configChanged': [251, 236],
  'session/titleChanged': [200, 84],
  'session/isReadChanged': [143, 62],
  'session/isArchivedChanged': [141, 49],
  'session/activeClientSet': [437, 149],
  'session/activeClientRemoved': [54, 46],
  'session/configChanged': [139, 90],
  'session/workingDirectorySet': [0, 0],
  'session/workingDirectoryRemoved': [0, 0],
  'session/workingDirectoryReplaced': [0, 0],
  'chat/workingDirectorySet': [0, 0],
  'chat/workingDirectoryRemoved': [0, 0],
  'chat/turnStarted': [537, 419],
  'chat/toolCallConfirmed': [11, 66],
  'chat/toolCallComplete': [6, 10],
  'chat/toolCallResultConfirmed': [1, 3],
  'chat/toolCallContentChanged': [2, 3],
  'chat/turnCancelled': [18, 95],
  'chat/turnResume': [0, 1],
  'chat/truncated': [360, 212],
  'chat/pendingMessageSet': [273, 85],
  'chat/pendingMessageRemoved': [15, 93],
  'chat/queuedMessagesReordered': [94, 38],
  'chat/draftChanged': [273, 89],
  'chat/inputAnswerChanged': [11, 17],
  'chat/inputCompleted': [10, 45],
  'chat/isReadChanged': [0, 0],
  'chat/isArchivedChanged': [0, 0],
  'terminal/input': [74, 390],
  'terminal/resized': [66, 155],
  'terminal/claimed': [102, 222],
  'terminal/titleChanged': [82, 27],
  'terminal/cleared': [21, 45],
  createChat: [20, 16],
  'fork of a chat': [6, 17],
  'side chat': [0, 0],
  disposeChat: [10, 5],
  moveChat: [5, 2],
  'reorder of chats': [0, 0],
  'fork of a session': [3, 17],
  createSession: [7, 4],
  disposeSession: [4, 12],
};

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
  60_000,
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
  // The host ignores actions on disposed channels; clients rarely send them.
  expect(total.deeds.total('ignored')).toBeGreaterThan(0);
  expect(total.of('terminalExits')).toBeGreaterThan(0);
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
