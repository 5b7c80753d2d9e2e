import type { TerminalInfo } from '@agenthost/protocol';
import { describe, expect, test } from 'vitest';
import { chooseTerminal, chooseTerminalById } from './ids.ts';

const listed = ['1ab2', '22cd', '5'].map(
  (id): TerminalInfo => ({
    resource: `ahp-terminal:/${id}`,
    title: id,
    lifecycle: { status: 'running' },
    claim: { kind: 'client', clientId: 'somebody' },
  }),
);
const [first, second, third] = listed;

describe('a terminal that is to be ended', () => {
  test.each([
    ['22cd', second],
    ['22', second],
    ['ahp-terminal:/1ab2', first],
    ['1a', first],
    ['5', third],
  ])('%s names one', (given, expected) => {
    expect(chooseTerminalById(listed, given)).toBe(expected);
  });

  test.each([
    ['1', '1ab2'],
    ['3', '5'],
  ])('%s is refused as a position, also where the id begins with it', (given, id) => {
    expect(chooseTerminal(listed, given)).toBeDefined();
    expect(() => chooseTerminalById(listed, given)).toThrow(`use its id, ${id}`);
  });
});
