import { expect, it } from 'vitest';
import type { StateAction } from '../../wire/envelope.ts';
import { dialectOf } from '../chain.ts';

const old = dialectOf('0.8.0');
const session = 'ahp-session:/s';
const channel = `${session}/annotations`;
const rest = { id: 'a', resource: 'file:///a', resolved: false, entries: [{ id: 'e', text: 'Why?' }] };
const origin = { session, chat: 'ahp-chat:/c', turnId: 't' };
const set: StateAction = { type: 'annotations/set', annotation: { ...rest, origin } };

it('[ANN-20] an origin was the id of its turn before 0.9, or empty', () => {
  const shown = { type: 'annotations/set', annotation: { ...rest, turnId: 't' } };
  expect(old.actionDown(set, {})).toEqual([shown]);
  expect(dialectOf('0.9.0').actionDown(set, {})).toEqual([set]);
  const state = { annotations: [{ ...rest, origin: { session } }] };
  expect(old.stateDown('annotations', state, {})).toEqual({ annotations: [{ ...rest, turnId: '' }] });
  expect(
    old.actionDown({ type: 'annotations/updated', annotationId: 'a', resolved: true, origin }, {}),
  ).toEqual([{ type: 'annotations/updated', annotationId: 'a', resolved: true, turnId: 't' }]);
  const resolved = { type: 'annotations/updated', annotationId: 'a', resolved: true };
  expect(old.actionDown(resolved, {})).toEqual([resolved]);
});

it('[ANN-20] a turn from a client of 0.8 is an origin in the session of the channel', () => {
  const sent = { type: 'annotations/set', annotation: { ...rest, turnId: 'u' } };
  const taken = { type: 'annotations/set', annotation: { ...rest, origin: { session, turnId: 'u' } } };
  expect(old.actionUp(sent, { channel })).toEqual(taken);
  expect(old.actionUp({ ...sent, annotation: { ...rest, turnId: 7 } }, { channel })).toMatchObject({
    annotation: { turnId: 7 },
  });
});

it('[ANN-20] a client of 0.8 that repeats the turn it was shown keeps the stored origin', () => {
  const before = { annotations: [{ ...rest, origin }] };
  const sent = { type: 'annotations/set', annotation: { ...rest, resolved: true, turnId: 't' } };
  expect(old.actionUp(sent, { channel, before })).toEqual({
    type: 'annotations/set',
    annotation: { ...rest, resolved: true, origin },
  });
  expect(
    old.actionUp({ type: 'annotations/updated', annotationId: 'a', turnId: 'v' }, { channel, before }),
  ).toEqual({ type: 'annotations/updated', annotationId: 'a', origin: { session, turnId: 'v' } });
});

it('[DIA-6] stored annotations get an origin', () => {
  expect(old.stateUp('annotations', { annotations: [{ ...rest, turnId: 't' }] }, { channel })).toEqual({
    annotations: [{ ...rest, origin: { session, turnId: 't' } }],
  });
});
