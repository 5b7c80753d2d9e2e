import { Command, Option } from 'commander';
import { expect, test } from 'vitest';
import { complete } from './completion.ts';

/** A command line of two levels. */
function program(): Command {
  const made = new Command('tool').helpCommand(false);
  const sessions = made.command('sessions').description('lists').option('--json', 'as JSON');
  sessions.command('show').argument('<session>').option('--chat <chat>', 'one chat');
  sessions.command('rm').argument('<session...>');
  made
    .command('run')
    .argument('[prompt...]')
    .option('--session <session>', 'goes on')
    .addOption(new Option('--approve <mode>', 'answers').choices(['ask', 'all', 'none']));
  return made;
}

const wordsAt = (...words: string[]): string[] =>
  complete(program(), words).candidates.map(({ word }) => word);

test('completes names of commands, on each level', () => {
  expect(wordsAt('')).toEqual(['sessions', 'run']);
  expect(wordsAt('s')).toEqual(['sessions']);
  expect(wordsAt('sessions', '')).toEqual(['show', 'rm', 'help']);
  expect(wordsAt('run', 'sess')).toEqual([]);
});

test('completes options, and the values of those that have a choice', () => {
  expect(wordsAt('run', '--')).toEqual(['--session', '--approve', '--help']);
  expect(wordsAt('run', '--approve', 'a')).toEqual(['ask', 'all']);
  expect(wordsAt('sessions', '--json', 'r')).toEqual(['rm']);
});

test('knows the places of sessions', () => {
  const takes = (...words: string[]): boolean => complete(program(), words).takesSession;
  expect(takes('sessions', 'show', '')).toBe(true);
  expect(takes('sessions', 'show', '--chat', 'x', '')).toBe(true);
  expect(takes('sessions', 'rm', 'one', 'two', '')).toBe(true);
  expect(takes('run', '--session', '4')).toBe(true);
  expect(takes('sessions', 'show', 'one', '')).toBe(false);
  expect(takes('run', '')).toBe(false);
});
