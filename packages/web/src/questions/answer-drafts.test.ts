import type { DispatchOutcome } from '@agenthost/client';
import type { ChatInputAnswer, ChatInputQuestion, ChatInputRequest } from '@agenthost/protocol';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AnswerDrafts, DRAFT_INTERVAL_MS } from './answer-drafts.ts';

const name: ChatInputQuestion = { kind: 'text', id: 'name', message: 'Name?' };
const size: ChatInputQuestion = { kind: 'text', id: 'size', message: 'Size?' };
const request = (answers: Record<string, string> = {}): ChatInputRequest => ({
  id: 'r',
  questions: [name, size],
  answers: Object.fromEntries(
    Object.entries(answers).map(([id, value]) => [id, { state: 'draft', value: { kind: 'text', value } }]),
  ),
});
const field = (typed: string) => ({ typed, chosen: [], own: '' });
const accepted = { outcome: 'ignored' } satisfies DispatchOutcome;
const rejected = { outcome: 'rejected', code: 'closed', reason: 'It is closed' } satisfies DispatchOutcome;

function start() {
  const sent: [string, ChatInputAnswer | undefined][] = [];
  const drafts = new AnswerDrafts(request(), async (id, answer) => {
    sent.push([id, answer]);
    return accepted;
  });
  const typed = (id: string) => drafts.fields.get(id)?.typed;
  return { drafts, sent, typed };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('drafts of answers', () => {
  it('[CHAT-13] show the input of others', () => {
    const { drafts, typed } = start();
    drafts.update(request({ name: 'Anna' }));
    expect([typed('name'), typed('size')]).toEqual(['Anna', '']);
  });

  it('do not change the question that the person here writes at, until it is left', () => {
    const { drafts, typed } = start();
    drafts.focus('name');
    drafts.update(request({ name: 'Anna', size: 'L' }));
    expect([typed('name'), typed('size')]).toEqual(['', 'L']);
    drafts.focus(undefined);
    expect(typed('name')).toBe('Anna');
  });

  it('are sent once in an interval with the latest text', async () => {
    const { drafts, sent } = start();
    drafts.edit(name, field('A'));
    drafts.edit(name, field('An'));
    await vi.advanceTimersByTimeAsync(DRAFT_INTERVAL_MS);
    expect(sent).toEqual([['name', { state: 'draft', value: { kind: 'text', value: 'An' } }]]);
  });

  it('are removed when a field is emptied', async () => {
    const { drafts, sent } = start();
    drafts.update(request({ name: 'Anna' }));
    drafts.edit(name, field(''));
    await vi.advanceTimersByTimeAsync(DRAFT_INTERVAL_MS);
    expect(sent).toEqual([['name', undefined]]);
  });

  it('keep sent input while the request that is shown is an older one', async () => {
    const { drafts, typed } = start();
    drafts.focus('name');
    drafts.edit(name, field('A'));
    await vi.advanceTimersByTimeAsync(DRAFT_INTERVAL_MS);
    drafts.update(request({ name: 'A' }));
    drafts.edit(name, field('Anna'));
    await vi.advanceTimersByTimeAsync(DRAFT_INTERVAL_MS);
    drafts.focus(undefined);
    drafts.update(request({ name: 'A' }));
    expect(typed('name')).toBe('Anna');
    drafts.update(request({ name: 'Bea' }));
    expect(typed('name')).toBe('Bea');
    drafts.update(request({ name: 'A' }));
    expect(typed('name')).toBe('A');
  });

  it('show what the host has when it rejects an answer', async () => {
    const drafts = new AnswerDrafts(request(), async () => rejected);
    drafts.edit(name, field('Anna'));
    await vi.advanceTimersByTimeAsync(DRAFT_INTERVAL_MS);
    expect(drafts.fields.get('name')?.typed).toBe('');
  });

  it('keep unsent input when others change the same question', () => {
    const { drafts, typed } = start();
    drafts.edit(name, field('Bea'));
    drafts.update(request({ name: 'Anna' }));
    expect(typed('name')).toBe('Bea');
    drafts.stop();
  });
});
