import { describe, expect, it } from 'vitest';
import type { ChatSummary } from '../chat/state.ts';
import { aggregateSession } from './aggregate.ts';
import type { SessionInputRequest } from './input-needed.ts';
import type { SessionState } from './state.ts';

const IDLE = 1;
const ERROR = 2;
const IN_PROGRESS = 8;
const INPUT_NEEDED = 24;

function summary(name: string, status: number, day: number, activity?: string): ChatSummary {
  const modifiedAt = new Date(Date.UTC(2026, 0, day)).toISOString();
  const base = { resource: `ahp-chat:/${name}`, title: name, status, modifiedAt };
  return activity === undefined ? base : { ...base, activity };
}

function session(chats: ChatSummary[], fields: Partial<SessionState> = {}): SessionState {
  const base = { provider: 'demo', title: 'Garden', status: IDLE, activeClients: [], chats };
  return { ...base, lifecycle: 'ready', ...fields };
}

function block(chat: string): SessionInputRequest {
  return { kind: 'chatInput', id: `${chat}#q`, chat: `ahp-chat:/${chat}`, request: { id: 'q' } };
}

describe('aggregateSession', () => {
  it('[SESS-5] the default chat supplies status bits and activity', () => {
    const chats = [summary('rose', IN_PROGRESS, 1, 'Growing'), summary('fern', IDLE, 2, 'Resting')];
    const state = session(chats, { defaultChat: 'ahp-chat:/rose' });
    expect(aggregateSession(state)).toStrictEqual({ ...state, status: IN_PROGRESS, activity: 'Growing' });
  });

  it('[SESS-5] without an existing default chat, the chat modified last supplies them', () => {
    const chats = [
      summary('rose', IN_PROGRESS, 1),
      summary('fern', IDLE, 3, 'Resting'),
      summary('oak', IN_PROGRESS, 2),
    ];
    for (const fields of [{}, { defaultChat: 'ahp-chat:/gone' }]) {
      expect(aggregateSession(session(chats, { ...fields, status: IN_PROGRESS }))).toMatchObject({
        status: IDLE,
        activity: 'Resting',
      });
    }
  });

  it('[SESS-5] times are compared as moments, regardless of their format', () => {
    const early = { ...summary('rose', IN_PROGRESS, 1, 'rose'), modifiedAt: '2026-01-01T05:00:00.500+04:00' };
    const late = { ...summary('fern', IDLE, 1, 'fern'), modifiedAt: '2026-01-01T02:00:00Z' };
    expect(aggregateSession(session([early, late])).activity).toBe('fern');
    expect(aggregateSession(session([{ ...early, modifiedAt: 'yesterday' }, late])).activity).toBe('fern');
  });

  it('[SESS-5] a chat that needs input overrules the default chat and chats in error', () => {
    const chats = [
      summary('rose', IN_PROGRESS, 3, 'Growing'),
      summary('oak', ERROR, 4, 'Fell'),
      summary('fern', INPUT_NEEDED, 1, 'Asking'),
    ];
    expect(aggregateSession(session(chats, { defaultChat: 'ahp-chat:/rose' }))).toMatchObject({
      status: INPUT_NEEDED,
      activity: 'Asking',
    });
  });

  it('[SESS-5] of several chats that need input, the default chat supplies the activity, else the latest', () => {
    const chats = [summary('rose', INPUT_NEEDED, 1, 'rose'), summary('fern', INPUT_NEEDED, 2, 'fern')];
    expect(aggregateSession(session(chats, { defaultChat: 'ahp-chat:/rose' })).activity).toBe('rose');
    expect(aggregateSession(session(chats)).activity).toBe('fern');
  });

  it('[SESS-5] an entry of inputNeeded suffices, and its chat supplies the activity', () => {
    const chats = [summary('rose', IN_PROGRESS, 2, 'rose'), summary('fern', IN_PROGRESS, 1, 'fern')];
    const asking = session(chats, { defaultChat: 'ahp-chat:/rose', inputNeeded: [block('fern')] });
    expect(aggregateSession(asking)).toMatchObject({ status: INPUT_NEEDED, activity: 'fern' });
    const stray = session(chats, { inputNeeded: [block('gone')] });
    expect(aggregateSession(stray)).toMatchObject({ status: INPUT_NEEDED, activity: 'rose' });
  });

  it('[SESS-26] calls of client tools alone need nobody', () => {
    const running: SessionInputRequest = {
      kind: 'toolClientExecution',
      id: 'r',
      chat: 'ahp-chat:/rose',
      turnId: 't',
      clientId: 'desk',
      toolCall: {
        toolCallId: 'c',
        toolName: 'x',
        displayName: 'X',
        invocationMessage: '',
        status: 'running',
        confirmed: 'not-needed',
      },
    };
    const chats = [summary('rose', IN_PROGRESS, 1, 'rose')];
    expect(aggregateSession(session(chats, { inputNeeded: [running] })).status).toBe(IN_PROGRESS);
    const both = session(chats, { inputNeeded: [running, block('rose')] });
    expect(aggregateSession(both).status).toBe(INPUT_NEEDED);
  });

  it('[SESS-5] an empty inputNeeded needs nothing', () => {
    expect(aggregateSession(session([summary('rose', IDLE, 1)], { inputNeeded: [] })).status).toBe(IDLE);
  });

  it('[SESS-5] an error of any chat shows when no chat needs input', () => {
    const chats = [summary('rose', IN_PROGRESS, 2, 'Growing'), summary('oak', ERROR, 1)];
    const state = session(chats, { defaultChat: 'ahp-chat:/rose', activity: 'Growing' });
    const { activity: _gone, ...rest } = state;
    expect(aggregateSession(state)).toStrictEqual({ ...rest, status: ERROR });
  });

  it('[SESS-5] the error of a worker chat does not change its session', () => {
    const worker: ChatSummary = {
      ...summary('worker', ERROR, 2),
      origin: { kind: 'tool', chat: 'ahp-chat:/rose', toolCallId: 'delegate' },
    };
    const state = session([summary('rose', IDLE, 1), worker], { defaultChat: 'ahp-chat:/rose' });
    expect(aggregateSession(state).status).toBe(IDLE);
  });

  it("[SESS-5] read, archived and unknown bits are the session's own", () => {
    const chats = [summary('rose', IN_PROGRESS + 32 + 64, 1)];
    expect(aggregateSession(session(chats, { status: IDLE + 64 + 2 ** 40 })).status).toBe(
      IN_PROGRESS + 64 + 2 ** 40,
    );
  });

  it('[SESS-5] a session without chats, or an aggregated one, stays the same object', () => {
    const empty = session([], { status: INPUT_NEEDED, activity: 'x', inputNeeded: [block('rose')] });
    expect(aggregateSession(empty)).toBe(empty);
    const settled = aggregateSession(session([summary('rose', IN_PROGRESS, 1, 'Growing')]));
    expect(aggregateSession(settled)).toBe(settled);
  });
});
