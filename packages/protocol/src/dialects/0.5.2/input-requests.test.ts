import { describe, expect, it } from 'vitest';
import { dialectOf } from '../chain.ts';

const message = { text: '', origin: { kind: 'user' } };
const text = { kind: 'markdown', id: 'm', content: 'x' };
const open = { kind: 'inputRequest', request: { id: 'q', message: 'Which?' } };
const answered = { kind: 'inputRequest', request: { id: 'p' }, response: 'decline' };
const turn = { id: 't', startedAt: '2026-01-01T00:00:00.000Z', message };
const chat = {
  resource: 'c',
  title: '',
  status: 24,
  modifiedAt: '2026-01-01T00:00:00.000Z',
  turns: [{ id: 's', message, responseParts: [open, text], state: 'complete' }],
  activeTurn: { ...turn, responseParts: [answered, open, text] },
};

describe('input requests for 0.5.2', () => {
  const dialect = dialectOf('0.5.2');

  it('[CHAT-27] [DIA-2] open requests of the active turn stand beside the turns, and unanswered parts are gone', () => {
    expect(dialect.stateDown('chat', chat, {})).toMatchObject({
      inputRequests: [open.request],
      turns: [{ id: 's', responseParts: [text] }],
      activeTurn: { id: 't', responseParts: [answered, text] },
    });
    expect(dialectOf('0.6.0').stateDown('chat', chat, {})).not.toHaveProperty('inputRequests');
  });

  it('[CHAT-27] a chat without open requests has no such list', () => {
    const { activeTurn: _, ...idle } = chat;
    expect(dialect.stateDown('chat', idle, {})).not.toHaveProperty('inputRequests');
  });

  it('[DIA-2] a part of a turn that goes on is asked again', () => {
    const action = { type: 'chat/responsePart', turnId: 't', part: open };
    expect(dialect.actionDown(action, {})).toEqual([{ type: 'chat/inputRequested', request: open.request }]);
    expect(dialect.actionDown({ ...action, part: answered }, {})).toEqual([{ ...action, part: answered }]);
  });

  it('[DIA-6] a stored list becomes parts of the active turn, and is dropped without one', () => {
    const stored = {
      ...chat,
      activeTurn: { ...turn, responseParts: [text] },
      inputRequests: [open.request, 7],
    };
    expect(dialect.stateUp('chat', stored, {})).toMatchObject({
      activeTurn: { id: 't', responseParts: [text, open] },
    });
    expect(dialect.stateUp('chat', stored, {})).not.toHaveProperty('inputRequests');
    const { activeTurn: _, ...idle } = stored;
    expect(dialect.stateUp('chat', idle, {})).not.toHaveProperty('inputRequests');
    expect(dialect.stateUp('chat', { ...stored, inputRequests: 'x' }, {})).not.toHaveProperty(
      'inputRequests',
    );
  });
});
