import { expect, test } from 'vitest';
import { readCommand } from './command.ts';

test.each([
  ['a', { name: 'approve' }],
  ['YES', { name: 'approve' }],
  ['d', { name: 'deny' }],
  ['c', { name: 'cancel' }],
  ['q', { name: 'leave' }],
  [' 2 ', { name: 'choose', number: 2 }],
  ['say  hello you', { name: 'say', text: 'hello you' }],
  ['say', { name: 'help' }],
  ['constructor', { name: 'help' }],
  ['', { name: 'nothing' }],
])('%j is read as %j', (line, command) => {
  expect(readCommand(line)).toEqual(command);
});
