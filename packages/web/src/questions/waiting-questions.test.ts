import type { SessionInputRequest } from '@agenthost/protocol';
import { describe, expect, it } from 'vitest';
import { answerable, askKey, askTitle } from './waiting-questions.ts';

const form: SessionInputRequest = {
  kind: 'chatInput',
  id: '1',
  chat: 'c',
  request: { id: 'r', questions: [{ kind: 'text', id: 'q', message: 'What\nnow?' }] },
};
const approval: SessionInputRequest = {
  kind: 'toolConfirmation',
  id: '2',
  chat: 'c',
  turnId: 't',
  toolCall: {
    status: 'pending-confirmation',
    toolCallId: 'call',
    toolName: 'write',
    displayName: 'Write',
    invocationMessage: { markdown: 'Write `a.txt`' },
  },
};
const clientTool: SessionInputRequest = {
  kind: 'toolClientExecution',
  id: '3',
  chat: 'c',
  turnId: 't',
  clientId: 'x',
  toolCall: {
    status: 'running',
    toolCallId: 'other',
    toolName: 'tool',
    displayName: 'Tool',
    invocationMessage: '',
    confirmed: 'not-needed',
  },
};

describe('open questions', () => {
  it('have one line each', () => {
    expect(askTitle(form)).toBe('What now?');
    expect(askTitle(approval)).toBe('Write a.txt');
  });

  it('are found in the transcript by the id of the request or of the tool call', () => {
    expect([askKey(form), askKey(approval)]).toEqual(['r', 'call']);
  });

  it('are those that a person can answer', () => {
    expect(answerable([form, approval, clientTool])).toEqual([form, approval]);
  });
});
