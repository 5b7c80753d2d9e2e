import type { ChatMatch } from '@agenthost/client';
import { describe, expect, it } from 'vitest';
import { olderTurnsOf, turnOfMatch } from './older-matches.ts';

const match = (turnId: string, count: number): ChatMatch => ({
  turnId,
  turnsAfter: 0,
  count,
  snippet: '',
  match: [0, 0],
});

describe('matches in turns that are not loaded', () => {
  const matches = [match('d', 1), match('c', 2), match('c', 1), match('a', 1)];

  it('are counted by turn, without loaded turns', () => {
    expect(olderTurnsOf(matches, (turnId) => turnId === 'd')).toEqual([
      { turnId: 'c', count: 3 },
      { turnId: 'a', count: 1 },
    ]);
  });

  it('belong to the turn that has the match of a number', () => {
    const turns = olderTurnsOf(matches, (turnId) => turnId === 'd');
    expect([-1, 0, 2, 3, 4].map((number) => turnOfMatch(turns, number))).toEqual([
      undefined,
      'c',
      'c',
      'a',
      undefined,
    ]);
  });
});
