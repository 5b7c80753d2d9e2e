import type { ActiveTurn, ResponsePart, ToolCallState, Turn } from '@agenthost/protocol';
import { describe, expect, it } from 'vitest';
import { partOf, RowProjector, turnOf } from './rows.ts';

const message = { text: 'Hello', origin: { kind: 'user' as const } };
const markdown = (id: string, content: string): ResponsePart => ({ kind: 'markdown', id, content });

const call = (id: string, toolName: string, status: 'completed' | 'running' = 'completed'): ResponsePart => ({
  kind: 'toolCall',
  toolCall: {
    toolCallId: id,
    toolName,
    displayName: toolName,
    status,
    success: true,
    confirmed: 'not-needed',
    invocationMessage: toolName,
    pastTenseMessage: toolName,
  } as ToolCallState,
});

const turn = (id: string, ...responseParts: ResponsePart[]): Turn => ({
  id,
  message,
  responseParts,
  state: 'complete',
});
const active = (id: string, ...responseParts: ResponsePart[]): ActiveTurn => ({
  id,
  message,
  responseParts,
  startedAt: '2026-01-01T00:00:00.000Z',
});

const kindsOf = (rows: readonly { kind: string }[]): string[] => rows.map(({ kind }) => kind);

describe('the rows of a chat', () => {
  it('are the message, one row for each part, and the end', () => {
    const rows = new RowProjector().rowsOf({
      turns: [
        turn('a', { kind: 'reasoning', id: 'r', content: 'Hm' }, markdown('m', 'Hi'), call('c', 'bash')),
      ],
    });
    expect(kindsOf(rows)).toEqual(['message', 'part', 'text', 'part', 'end']);
    expect(new Set(rows.map(({ key }) => key)).size).toBe(rows.length);
  });

  it('leave out empty texts and the error that the end shows', () => {
    const failed: Turn = {
      ...turn('a', markdown('m', ' \n'), { kind: 'error', error: { errorType: 'x', message: 'y' } }),
      state: 'error',
    };
    expect(kindsOf(new RowProjector().rowsOf({ turns: [failed] }))).toEqual(['message', 'end']);
  });

  it('join finished reads and searches that follow each other', () => {
    const rows = new RowProjector().rowsOf({
      turns: [
        turn('a', call('1', 'read_file'), call('2', 'grep'), call('3', 'bash'), call('4', 'read_file')),
      ],
    });
    expect(kindsOf(rows)).toEqual(['message', 'explored', 'part', 'part', 'end']);
    expect(rows[1]).toMatchObject({ index: 0, lastIndex: 1 });
  });

  it('do not join a read that runs', () => {
    const rows = new RowProjector().rowsOf({
      turns: [],
      activeTurn: active('a', call('1', 'read_file'), call('2', 'read_file', 'running')),
    });
    expect(kindsOf(rows)).toEqual(['message', 'part', 'part', 'end']);
  });

  it('are the same array while only text streams', () => {
    const projector = new RowProjector();
    const turns = [turn('a', markdown('m', 'Hi'))];
    const before = projector.rowsOf({ turns, activeTurn: active('b', markdown('m', 'He')) });
    expect(projector.rowsOf({ turns, activeTurn: active('b', markdown('m', 'Hello')) })).toBe(before);
  });

  it('keep the rows of other parts when one is added, and their keys when the turn ends', () => {
    const projector = new RowProjector();
    const parts = [markdown('m', 'Hello')];
    const before = projector.rowsOf({ turns: [], activeTurn: active('b', ...parts) });
    const after = projector.rowsOf({ turns: [], activeTurn: active('b', ...parts, call('1', 'bash')) });
    expect(after[1]).toBe(before[1]);
    const ended = projector.rowsOf({ turns: [turn('b', ...parts, call('1', 'bash'))] });
    expect(ended.map(({ key }) => key)).toEqual(after.map(({ key }) => key));
  });

  it('keep the rows of known turns when older ones load', () => {
    const projector = new RowProjector();
    const known = turn('b', markdown('m', 'Hi'));
    const [first] = projector.rowsOf({ turns: [known] });
    expect(projector.rowsOf({ turns: [turn('a'), known] })[2]).toBe(first);
  });

  it('find the turns and parts that they name', () => {
    const state = { turns: [turn('a', markdown('m', 'Hi'))], activeTurn: active('b', markdown('n', 'Ho')) };
    expect(turnOf(state, 'a')).toBe(state.turns[0]);
    expect(partOf(state, 'b', 0)).toBe(state.activeTurn.responseParts[0]);
    expect(turnOf(state, 'c')).toBeUndefined();
  });
});
