import { expect, it } from 'vitest';
import { commandResult } from './command-result.ts';

it('[CHAT-37] the output of a command is its result, or text while it runs', () => {
  const live = { type: 'terminal', resource: 'r', title: 'Run' } as const;
  const result = { exitCode: 0, preview: 'ok' };
  expect(commandResult([{ ...live, result }])).toBe(result);
  expect(commandResult([live, { type: 'text', text: 'so far' }])).toEqual({ preview: 'so far' });
  expect(commandResult([live])).toBeUndefined();
  expect(commandResult(undefined)).toBeUndefined();
});
