import { expect, test } from 'vitest';
import { type CommitFacts, proposedMessage } from './commit-message.ts';

const message = ({
  messages = [],
  ...facts
}: Omit<Partial<CommitFacts>, 'messages'> & { messages?: readonly string[] }): string =>
  proposedMessage({
    title: '',
    isTitleChosen: false,
    messages: messages.map((text) => ({ text, hasComments: text.includes('comment') })),
    names: [],
    ...facts,
  });

test.each([
  ['please fix the parser.', 'Fix the parser'],
  ['Can you now add a test for it? It should be short.', 'Add a test for it'],
  ['ok, great. Let’s go on\nand more', undefined],
  ['yes', undefined],
  ['\n\n  rename   the\tfolder, thanks', 'Rename the folder'],
  [
    'Could you make the start of the program faster by loading the large modules only when they are needed',
    'Make the start of the program faster by loading the large modules only',
  ],
  [`write ${'x'.repeat(200)}`, `Write ${'x'.repeat(65)}…`],
  ['\u001b[31mreplace the \u202eold file', '[31mreplace the old file'],
])('a message %j proposes %j', (text, proposed) => {
  expect(message({ messages: [text], names: ['a.ts'] })).toBe(proposed ?? 'Update a.ts');
});

test('a title that was chosen comes first, then the newest message that says something', () => {
  const messages = ['yes please', 'add a second test', 'fix the parser'];
  const facts = { title: 'Parser of numbers', messages };
  expect(message(facts)).toBe('Add a second test');
  expect(message({ ...facts, isTitleChosen: true })).toBe('Parser of numbers');
  expect(message({ ...facts, isTitleChosen: true, lastSubject: 'Parser of numbers' })).toBe(
    'Add a second test',
  );
  expect(message({ names: ['a', 'b', 'c'] })).toBe('Update a and 2 more');
  expect(message({})).toBe('Update files');
});

test('a message that sends comments comes after the task before it, unless that is committed', () => {
  const messages = ['please address these comments', 'add a second test', 'fix the parser'];
  expect(message({ messages })).toBe('Add a second test');
  expect(message({ messages, lastSubject: 'Add a second test' })).toBe('Address these comments');
  expect(message({ messages: ['please address these comments'] })).toBe('Address these comments');
});
