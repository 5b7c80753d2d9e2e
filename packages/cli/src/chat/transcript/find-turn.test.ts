import type { Turn } from '@agenthost/protocol';
import { expect, test } from 'vitest';
import { findTurn } from './find-turn.ts';

const turn = (id: string, text: string, answer: string): Turn => ({
  id,
  message: { text, origin: { kind: 'user' } },
  responseParts: [{ kind: 'markdown', id: `${id}-1`, content: answer }],
  state: 'complete',
});

test('finds the newest turn by its message or its answer, then older ones', () => {
  const turns = [
    turn('a', 'Fix the lexer', 'done'),
    turn('b', 'and now?', 'the LEXER is fine'),
    turn('c', 'thanks', 'ok'),
  ];
  expect(findTurn(turns, 'lexer', undefined)?.id).toBe('b');
  expect(findTurn(turns, 'lexer', 'b')?.id).toBe('a');
  expect(findTurn(turns, 'lexer', 'a')).toBeUndefined();
  expect(findTurn(turns, 'parser', undefined)).toBeUndefined();
});
