import { expect, test } from 'vitest';
import { ModelCalls } from './model-calls.ts';
import type { Span } from './span.ts';

const FACTS = {
  session: 'ahp-session:/one',
  chat: 'ahp-chat:/one',
  turnId: 'turn',
  startMs: 0,
  provider: 'demo',
  message: { text: '', origin: { kind: 'user' as const } },
  isResumed: false,
};
const calls = (): ModelCalls => new ModelCalls(FACTS, { traceId: 't', spanId: 's', parentSpanId: 'p' });

const shown = (spans: readonly Span[]) =>
  spans.map(({ startMs, endMs, attributes }) => [
    startMs,
    endMs,
    attributes['gen_ai.usage.input_tokens'],
    attributes['gen_ai.request.model'],
  ]);

test('usage that comes after the tool of a call belongs to that call, and is no call of its own', () => {
  const models = calls();
  models.output(300);
  expect(models.end(500)).toEqual([]);
  models.begin(900);
  expect(shown(models.report({ inputTokens: 10, model: 'm' }, 905))).toEqual([[0, 500, 10, 'm']]);
  models.output(1_500);
  expect(models.end(1_600)).toEqual([]);
  expect(shown(models.finish(1_700))).toEqual([[900, 1_600, undefined, 'm']]);
});

test('usage that comes before the tools of an answer ends the call, and the tools begin none', () => {
  const models = calls();
  models.output(300);
  expect(shown(models.report({ inputTokens: 10 }, 500))).toEqual([[0, 500, 10, undefined]]);
  // The tool shows itself when it runs.
  models.output(503);
  expect(models.end(503)).toEqual([]);
  models.begin(900);
  models.output(1_000);
  expect(shown(models.report({ inputTokens: 25 }, 1_200))).toEqual([[900, 1_200, 15, undefined]]);
  expect(models.finish(1_205)).toEqual([]);
});

test('usage that covers calls without a report of their own belongs to none of them', () => {
  const models = calls();
  models.output(1);
  models.end(100);
  models.begin(200);
  expect(shown(models.output(250))).toEqual([[0, 100, undefined, undefined]]);
  models.end(300);
  expect(shown(models.report({ inputTokens: 50 }, 310))).toEqual([[200, 300, undefined, undefined]]);
  models.begin(400);
  models.output(450);
  models.end(500);
  const [last] = models.report({ inputTokens: 60, _meta: { modelProvider: 'anthropic' } }, 510);
  expect(last?.attributes).toMatchObject({
    'gen_ai.usage.input_tokens': 10,
    'gen_ai.provider.name': 'anthropic',
    'gen_ai.operation.name': 'chat',
  });
});

test('what the host does before the agent is no call, and ends one that has shown output', () => {
  const models = calls();
  expect(models.interrupt(100)).toEqual([]);
  models.begin(400);
  models.output(500);
  expect(models.interrupt(600)).toEqual([]);
  models.begin(900);
  expect(shown(models.finish(900))).toEqual([[400, 600, undefined, undefined]]);
});

test('a turn without any output was one call', () => {
  expect(shown(calls().finish(700))).toEqual([[0, 700, undefined, undefined]]);
});
