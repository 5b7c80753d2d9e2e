import { expect, test } from 'vitest';
import { isMatcher, matchesTool } from './matcher.ts';

test.each([
  [undefined, 'Edit', true],
  ['Edit|Write', 'Write', true],
  ['Edit|Write', 'MultiEdit', false],
  ['mcp__.*', 'mcp__docs__find', true],
  ['mcp__*__find', 'mcp__docs__find', true],
  ['mcp__*__find', 'mcp__docs__list', false],
  ['aa*aa', 'aaa', false],
  ['*', 'Edit', true],
])('the matcher %s on the tool %s: %s', (matcher, name, expected) => {
  expect(matchesTool(matcher, name)).toBe(expected);
});

test('patterns that could run forever are no matchers', () => {
  expect(isMatcher('(a+)+$')).toBe(false);
  expect(isMatcher('Edit|mcp__.*')).toBe(true);
});
