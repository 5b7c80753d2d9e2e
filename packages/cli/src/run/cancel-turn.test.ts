import { expect, test } from 'vitest';
import { cancelTurn } from './cancel-turn.ts';

test.each([
  ['unavailable', ['agenthost: the turn was not cancelled, and continues: its database does not answer']],
  ['noSuchTurn', []],
])('a rejected cancellation is reported while the host cannot save it: %s', async (code, expected) => {
  const notes: string[] = [];
  const screen = { status: () => undefined, note: (line: string) => void notes.push(line) };
  const rejected = { outcome: 'rejected', code, reason: 'its database does not answer' } as const;
  await cancelTurn({ cancel: () => Promise.resolve(rejected) }, screen);
  expect(notes).toEqual(expected);
});
