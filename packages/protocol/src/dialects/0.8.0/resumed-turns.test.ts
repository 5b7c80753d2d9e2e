import { expect, it } from 'vitest';
import { chatReducer } from '../../chat/reducer.ts';
import type { ChatState, Turn } from '../../chat/state.ts';
import { dialectOf, mostEnvelopes } from '../chain.ts';
import { StateNeeded } from '../reshape.ts';

const message = { text: 'Go', origin: { kind: 'user' as const } };
const startedAt = '2026-01-01T00:00:00.000Z';
const text = { kind: 'markdown' as const, id: 'm', content: 'x' };
const failed: Turn = {
  id: 'b',
  startedAt,
  duration: 5,
  message,
  responseParts: [
    text,
    { kind: 'error', error: { errorType: 'hostRestarted', message: '' }, resumable: true },
  ],
  usage: { inputTokens: 1 },
  state: 'error',
};
const first: Turn = { id: 'a', message, responseParts: [], state: 'complete' };
const chat = (turns: Turn[]): ChatState => ({
  resource: 'c',
  title: '',
  status: 2,
  modifiedAt: startedAt,
  turns,
});
const resume = { type: 'chat/turnResume', turnId: 'b' } as const;
const look = (before: ChatState) => ({ before, after: chatReducer(before, resume) });

it('[CHAT-23] [DIA-1] a resumed turn is removed and started again with its parts and usage before 0.9', () => {
  const before = chat([first, failed]);
  expect(dialectOf('0.9.0').actionDown(resume, look(before))).toEqual([resume]);
  const sent = dialectOf('0.8.0').actionDown(resume, look(before));
  expect(sent).toEqual([
    { type: 'chat/truncated', turnId: 'a' },
    { type: 'chat/turnStarted', turnId: 'b', startedAt, message },
    { type: 'chat/responsePart', turnId: 'b', part: text },
    { type: 'chat/usage', turnId: 'b', usage: { inputTokens: 1 } },
  ]);
  expect(mostEnvelopes(resume, { state: before })).toBeGreaterThanOrEqual(sent.length);
  expect(dialectOf('0.5.2').actionDown(resume, look(before))[1]).not.toHaveProperty('startedAt');
});

it('[CHAT-23] [DIA-1] the only turn of a chat is removed without naming another', () => {
  expect(dialectOf('0.8.0').actionDown(resume, look(chat([failed])))[0]).toEqual({ type: 'chat/truncated' });
  expect(() => dialectOf('0.8.0').actionDown(resume, {})).toThrow(StateNeeded);
});

it('[DIA-4] clients before 0.9 cannot resume turns', () => {
  expect(dialectOf('0.8.0').actionUp(resume, {})).not.toMatchObject(resume);
  expect(dialectOf('0.9.0').actionUp(resume, {})).toEqual(resume);
});
