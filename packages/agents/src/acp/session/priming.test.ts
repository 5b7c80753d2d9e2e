import type { Turn } from '@agenthost/protocol';
import { expect, it } from 'vitest';
import { MAX_PRIMING_LENGTH, primingText } from './priming.ts';

function turn(text: string, answer: string, more: Partial<Turn> = {}): Turn {
  return {
    id: text,
    message: { text, origin: { kind: 'user' } },
    responseParts: [{ kind: 'markdown', id: 'p', content: answer }],
    state: 'complete',
    ...more,
  };
}

it('a chat without turns needs no record', () => {
  expect(primingText([])).toBeUndefined();
});

it('a record contains the messages with their author, the tools that ran, and the end of each turn', () => {
  const text = primingText([
    turn('one', 'first'),
    turn('two', 'second', {
      state: 'error',
      responseParts: [
        {
          kind: 'toolCall',
          toolCall: {
            toolCallId: 't',
            toolName: 'edit',
            displayName: 'Edit',
            status: 'completed',
            confirmed: 'not-needed',
            invocationMessage: { markdown: 'Edit `a.ts`' },
            pastTenseMessage: '',
            success: true,
          },
        },
        { kind: 'error', error: { errorType: 'agentExited', message: 'it crashed' } },
      ],
    }),
  ]);
  expect(text?.split('<conversation>')[1]).toBe(
    '\nUser: one\nYou: first\n\nUser: two\n(Tool Edit: Edit `a.ts`, completed)\n(The turn ended early: it crashed.)\n</conversation>',
  );
});

it('[CHAT-12] a record contains a steering message at its place, and no other notices', () => {
  const message = { text: 'the other way', origin: { kind: 'user' as const } };
  const text = primingText([
    turn('one', '', {
      responseParts: [
        { kind: 'markdown', id: 'p', content: 'this way' },
        { kind: 'systemNotification', content: 'Steering message: …', 'x-steering': { id: 's', message } },
        { kind: 'systemNotification', content: 'a notice' },
      ],
    }),
  ]);
  expect(text?.split('<conversation>')[1]).toBe(
    '\nUser: one\nYou: this way\nUser, while you worked: the other way\n</conversation>',
  );
});

it('a record of a long chat contains its end, up to a limit', () => {
  const turns = Array.from({ length: 200 }, (_, index) => turn(`question ${index}.`, 'x'.repeat(1_000)));
  const text = primingText(turns) ?? '';
  expect(text.length).toBeLessThan(MAX_PRIMING_LENGTH + 1_000);
  expect(text).toContain('question 199.');
  expect(text).not.toContain('question 100.');
  expect(primingText([turn('long', 'y'.repeat(1_000_000))])?.length).toBeLessThan(10_000);
});

it('[CHAT-17] a record contains a command of the user with the end of its output', () => {
  const text = primingText([
    turn('!seq 1000', '', {
      responseParts: [
        {
          kind: 'toolCall',
          toolCall: {
            toolCallId: 't',
            toolName: 'terminal',
            displayName: 'Terminal',
            status: 'completed',
            confirmed: 'not-needed',
            invocationMessage: 'seq 1000',
            pastTenseMessage: 'seq 1000',
            success: true,
            content: [
              {
                type: 'terminal',
                resource: 'r',
                title: 'seq',
                result: { exitCode: 0, preview: `${'0\n'.repeat(5_000)}999\n1000\n` },
              },
            ],
          },
        },
      ],
    }),
  ]);
  expect(text).toMatch(
    /User: !seq 1000\n\(Tool Terminal: seq 1000, completed\)\n[^]*\n999\n1000\n<\/conversation>$/,
  );
  expect(text?.length).toBeLessThan(3_000);
});

it('a record contains attachments by name', () => {
  const attachments = [{ type: 'resource' as const, label: 'a.ts', uri: 'file:///w/a.ts' }];
  const message = { text: 'one', origin: { kind: 'user' as const }, attachments };
  const text = primingText([
    turn('one', '', {
      message,
      responseParts: [{ kind: 'systemNotification', content: '…', 'x-steering': { id: 's', message } }],
    }),
  ]);
  const told = 'one\n(Attached: a.ts, file:///w/a.ts)';
  expect(text?.split('<conversation>')[1]).toBe(
    `\nUser: ${told}\nUser, while you worked: ${told}\n</conversation>`,
  );
});
