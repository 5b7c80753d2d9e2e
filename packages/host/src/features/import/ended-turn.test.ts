import type { Turn } from '@agenthost/protocol';
import { expect, it } from 'vitest';
import { notResumable } from './ended-turn.ts';

const error = { errorType: 'agentError', message: 'broken' };
const turn: Turn = {
  id: 't1',
  message: { text: 'hi', origin: { kind: 'user' } },
  responseParts: [{ kind: 'error', error, resumable: true }],
  state: 'error',
};

it('[CHAT-22] an imported turn is not resumable', () => {
  const imported = { ...turn, responseParts: [{ kind: 'error', error }] };
  expect(notResumable(turn)).toStrictEqual(imported);
  const plain: Turn = { ...turn, responseParts: [] };
  expect(notResumable(plain)).toBe(plain);
});
