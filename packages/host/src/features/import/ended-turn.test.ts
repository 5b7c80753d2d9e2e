import type { ToolCallState, Turn } from '@agenthost/protocol';
import { expect, it } from 'vitest';
import { endedTerminal, notResumable, terminalBlocks, withResults } from './ended-turn.ts';

const error = { errorType: 'agentError', message: 'broken' };
const turn: Turn = {
  id: 't1',
  message: { text: 'hi', origin: { kind: 'user' } },
  responseParts: [{ kind: 'error', error, resumable: true }],
  state: 'error',
};

it('[CHAT-22] an imported turn is not resumable', () => {
  const imported = { ...turn, responseParts: [{ kind: 'error', error }] };
  expect(notResumable(turn)).toStrictEqual(imported);
  const plain: Turn = { ...turn, responseParts: [] };
  expect(notResumable(plain)).toBe(plain);
});

const block = { type: 'terminal', resource: 'ahp-terminal:/old', title: 'make' } as const;
const exported = {
  resource: block.resource,
  title: 'make all',
  exitCode: 2,
  text: '\u001b[1mfailed\u001b[m\r\n',
};

const withBlock = (toolCall: object): Turn => ({
  ...turn,
  responseParts: [{ kind: 'toolCall', toolCall: { status: 'completed', ...toolCall } as ToolCallState }],
});

it('[CHAT-37] an imported terminal has ended, with the exported output', () => {
  expect(endedTerminal(block, exported)).toStrictEqual({
    title: 'make all',
    content: [{ type: 'unclassified', value: exported.text }],
    lifecycle: { status: 'exited', exitCode: 2 },
  });
});

it('[CHAT-37] without an export of it, it has what its block says', () => {
  expect(
    endedTerminal({ ...block, isPty: true, result: { preview: 'a\nb', exitCode: 1 } }, undefined),
  ).toStrictEqual({
    title: 'make',
    content: [{ type: 'unclassified', value: 'a\r\nb' }],
    lifecycle: { status: 'exited', exitCode: 1 },
    isPty: true,
  });
  expect(endedTerminal(block, undefined)).toMatchObject({ content: [], lifecycle: { status: 'exited' } });
});

it('[CHAT-37] the block of a command that ran at the export gets its result, and another keeps it', () => {
  const running = withBlock({ content: [block, { type: 'text', text: 'x' }] });
  expect(terminalBlocks(running)).toStrictEqual([block]);
  expect(terminalBlocks(withResults(running, [exported]))).toStrictEqual([
    { ...block, result: { exitCode: 2, preview: 'failed\n', truncated: false } },
  ]);
  const ended = { ...block, result: { preview: 'own' } };
  expect(terminalBlocks(withResults(withBlock({ content: [ended] }), [exported]))).toStrictEqual([ended]);
  expect(terminalBlocks(withBlock({}))).toStrictEqual([]);
});
