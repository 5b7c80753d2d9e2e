import { describe, expect, it } from 'vitest';
import { keysOf, newlyAsking } from './asking-sessions.ts';
import { titleText } from './title-text.ts';

describe('title of the window', () => {
  it('counts the sessions that wait', () => {
    expect(titleText('agenthost', undefined, 2)).toBe('(2) agenthost');
    expect(titleText('agenthost', 'Fix tests', 1)).toBe('(1) Fix tests – agenthost');
  });

  it('has no count when none waits', () => {
    expect(titleText('agenthost', '', 0)).toBe('agenthost');
  });
});

describe('sessions that start to wait', () => {
  const [a, b, c] = [{ key: 'own a' }, { key: 'own b' }, { key: 'other a' }];

  it('are those that did not wait before, without the one that is shown', () => {
    expect(newlyAsking([a, b, c], keysOf([a]), 'own b')).toEqual([c]);
    expect(newlyAsking([a], keysOf([a]), undefined)).toEqual([]);
  });
});
