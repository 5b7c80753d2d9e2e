import { expect, test } from 'vitest';
import { answerOfHook } from './hook-answer.ts';

const ended = (stdout: string, exitCode: number | undefined = 0, stderr = '') => ({
  stdout,
  stderr,
  exitCode,
});

test.each([
  ['plain output tells the model', 'UserPromptSubmit', ended('On main\n'), { context: 'On main' }],
  ['plain output after a tool call is only shown', 'PostToolUse', ended('formatted'), {}],
  ['text that begins with a brace', 'SessionStart', ended('{not JSON'), { context: '{not JSON' }],
  ['exit code 2 blocks', 'PreToolUse', ended('', 2, ' no \n'), { blocks: 'no' }],
  ['exit code 2 without a reason', 'PreToolUse', ended('', 2), { blocks: 'the hook gave no reason' }],
  ['another exit code fails', 'Stop', ended('', 1, 'oops'), { failure: 'exit code 1' }],
  ['a decision', 'UserPromptSubmit', ended('{"decision":"block","reason":"no"}'), { blocks: 'no' }],
  ['an end', 'Stop', ended('{"continue":false,"stopReason":"enough"}'), { blocks: 'enough' }],
  [
    'more context and a message',
    'SessionStart',
    ended('{"systemMessage":"hi","hookSpecificOutput":{"additionalContext":"more"}}'),
    { context: 'more', note: 'hi' },
  ],
] as const)('[CUST-1] a hook: %s', (_, event, result, expected) => {
  expect(answerOfHook(event, result)).toStrictEqual(expected);
});

test('[CUST-1] a hook that was ended has failed', () => {
  const result = { stdout: '', stderr: '', exitCode: undefined, trouble: 'it ran longer than 5 s' };
  expect(answerOfHook('Stop', result)).toStrictEqual({ failure: 'it ran longer than 5 s' });
});
