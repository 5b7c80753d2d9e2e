import { expect, it } from 'vitest';
import { sessionReducer } from '../../session/reducer.ts';
import type { SessionState } from '../../session/state.ts';
import type { StateAction } from '../../wire/envelope.ts';
import { dialectOf, mostEnvelopes } from '../chain.ts';

const before: SessionState = {
  provider: 'p',
  title: '',
  status: 1,
  lifecycle: 'ready',
  activeClients: [],
  chats: [],
  workingDirectories: ['a', 'b', 'c'],
};

it.each([
  ['in place', 'b', 'x', ['a', 'x', 'c']],
  ['by a later one', 'a', 'c', ['c', 'b']],
  ['by an earlier one', 'c', 'a', ['a', 'b']],
  ['unknown', 'x', 'y', ['a', 'b', 'c']],
  ['by itself', 'b', 'b', ['a', 'b', 'c']],
])(
  '[DIA-1] [SESS-22] step C: a directory replaced %s leads an older client to the same list',
  (_, directory, replacement, list) => {
    const action: StateAction = { type: 'session/workingDirectoryReplaced', directory, replacement };
    const sent = dialectOf('0.7.0').actionDown(action, { before }) as StateAction[];
    expect(sent.reduce((state, one) => sessionReducer(state, one), before).workingDirectories).toStrictEqual(
      list,
    );
    expect(sent.length).toBeLessThanOrEqual(mostEnvelopes(action, { state: before }));
    expect(sent.map(({ type }) => type)).not.toContain(action.type);
    expect(dialectOf('0.6.0').actionDown(action, { before })).toStrictEqual([]);
    expect(dialectOf('0.8.0').actionDown(action, {})).toStrictEqual([action]);
  },
);

it('[DIA-1] step C: a replaced directory needs the state before it', () => {
  const action = { type: 'session/workingDirectoryReplaced', directory: 'a', replacement: 'b' };
  expect(() => dialectOf('0.7.0').actionDown(action, {})).toThrow('the state of this moment');
});
