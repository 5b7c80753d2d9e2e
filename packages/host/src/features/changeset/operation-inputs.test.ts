import type { ChangesetOperation } from '@agenthost/protocol';
import { expect, test } from 'vitest';
import { checkInputs } from './operation-inputs.ts';

const OPERATION: ChangesetOperation = {
  id: 'commit',
  label: 'Commit',
  scopes: ['changeset'],
  status: 'idle',
  'x-inputs': [
    { name: 'message', label: 'Message', type: 'string', isLong: true, default: 'x' },
    { name: 'name', label: 'Name', type: 'string', isRequired: true },
    { name: 'all', label: 'All', type: 'boolean' },
  ],
};

test('[CS-4] values are taken by name, and empty texts count as none', () => {
  const inputs = checkInputs(OPERATION, { message: ' \n', name: 'n', all: false });
  expect([inputs.text('message'), inputs.text('name'), inputs.flag('all')]).toEqual([undefined, 'n', false]);
  expect(checkInputs(OPERATION, { name: 'n', message: 'a\n\n\tb' }).text('message')).toBe('a\n\n\tb');
});

test.each([
  [{ name: 'n', other: 'x' }, 'x-input.other', 'the operation commit takes message, name, all'],
  [{ name: true }, 'x-input.name', 'expected a string, got a boolean'],
  [{ name: 'n', all: 'true' }, 'x-input.all', 'expected a boolean, got a string'],
  [{}, 'x-input.name', 'expected a value, got none'],
  [{ name: '  ' }, 'x-input.name', 'expected a value, got none'],
  [{ name: 'a\nb' }, 'x-input.name', 'expected one line of text without control characters'],
  [{ name: 'n', message: 'a\0b' }, 'x-input.message', 'expected text without control characters'],
])('[CS-4] %j is refused with the name of the value', (given, parameter, problem) => {
  expect(() => checkInputs(OPERATION, given)).toThrow(
    expect.objectContaining({
      code: -32602,
      data: { 'x-refusal': { kind: 'parameter', parameter, problem } },
    }),
  );
});
