import type { VersionLine } from '@agenthost/protocol';
import { describe, expect, it } from 'vitest';
import { reduceAt } from './reduce-at.ts';

const at = (version: VersionLine) => ({ version, now: 9_999 });

describe('the oracle', () => {
  it('changes no state and no action that it is given', () => {
    const state = { turns: [], status: 1, queuedMessages: [{ id: 'q', message: { text: 'a' } }] };
    const action = { type: 'chat/turnStarted', turnId: 't', message: { text: 'a' }, queuedMessageId: 'q' };
    const before = structuredClone([state, action]);
    const next = reduceAt(at('0.5.2'), 'chat', state, action);
    expect(next).not.toHaveProperty('queuedMessages');
    expect([state, action]).toStrictEqual(before);
  });

  it.each<[VersionLine, object]>([
    ['0.8.0', { modifiedAt: '1970-01-01T00:00:09.999Z' }],
    ['0.9.0', { modifiedAt: '2026-01-01T00:00:00.000Z' }],
  ])('writes the time of its clock before 0.9, and that of the turn from 0.9 on: %s', (version, expected) => {
    const action = { type: 'chat/turnStarted', turnId: 't', startedAt: '2026-01-01T00:00:00.000Z' };
    expect(reduceAt(at(version), 'chat', { status: 1, turns: [] }, action)).toMatchObject(expected);
  });

  it('does not know actions of later versions', () => {
    const state = { status: 1, turns: [] };
    const action = { type: 'chat/isReadChanged', isRead: true };
    expect(reduceAt(at('0.9.0'), 'chat', state, action)).toStrictEqual(state);
    expect(reduceAt(at('1.0.0'), 'chat', state, action)).toStrictEqual({ ...state, status: 33 });
  });

  it('keeps unknown bits of a status, above 32 too', () => {
    const action = { type: 'session/isReadChanged', isRead: true };
    const state = { summary: { status: 1 + 2 ** 40 } };
    expect(reduceAt(at('0.4.0'), 'session', state, action)).toStrictEqual({
      summary: { status: 33 + 2 ** 40 },
    });
  });

  it('refuses a kind of channel without reducers', () => {
    expect(() => reduceAt(at('1.0.0'), 'telemetry', {}, { type: 'x' })).toThrow('telemetry');
  });
});
