import { SimulatedClock } from '@agenthost/testkit';
import { expect, test } from 'vitest';
import type { EncodedNotification, Sink } from '../sync/subscription.ts';
import type { LogRecord } from './logs/log-record.ts';
import type { Span } from './spans/span.ts';
import { TelemetryChannels } from './telemetry-channels.ts';

const ADMIN = { scope: 'admin', isResumed: false } as const;

const span = (name: string): Span => ({
  role: 'tool',
  traceId: '0',
  spanId: '1',
  name,
  startMs: 0,
  endMs: 1,
  attributes: {},
});
const record: LogRecord = { level: 'info', ms: 0, body: 'a line', attributes: {} };

/** A connection with that much unread output. */
function reader(waitingBytes = 0) {
  const texts: string[] = [];
  const state = { waitingBytes };
  const sink: Sink = {
    get waitingBytes() {
      return state.waitingBytes;
    },
    envelope: () => undefined,
    frame: () => undefined,
    notification: ({ text }: EncodedNotification) => void texts.push(text),
  };
  return { sink, texts, state };
}

function channels(spansOfTurn: () => Promise<readonly Span[]> = async () => []) {
  const clock = new SimulatedClock();
  const dropped: (readonly [number, string])[] = [];
  const failures: unknown[] = [];
  const made = new TelemetryChannels({
    timers: clock,
    resource: { attributes: [] },
    scope: { name: 'agenthost', version: '1' },
    readMetrics: () => [],
    lastRecords: () => [],
    spansOfTurn,
    onReaders: () => undefined,
    onDropped: (count, signal) => dropped.push([count, signal]),
    onFailure: (error) => failures.push(error),
  });
  return { clock, dropped, failures, made };
}

test('[OTLP-1] a subscriber that does not read gets nothing until it has read, and the others get all', async () => {
  const { clock, dropped, made } = channels();
  const [slow, fast] = [reader(300_000), reader()];
  for (const { sink } of [slow, fast]) made.subscribe('ahp-otlp://traces', sink, ADMIN);
  made.spans([span('first'), span('second')]);
  await clock.advance(100);
  expect(slow.texts).toEqual([]);
  expect(fast.texts).toHaveLength(1);
  expect(dropped).toEqual([[2, 'traces']]);
  slow.state.waitingBytes = 0;
  made.spans([span('third')]);
  await clock.advance(100);
  expect(slow.texts).toHaveLength(1);
  expect(slow.texts[0]).toContain('third');
});

test('more than 4,096 spans or records in a tenth of a second are dropped and counted', async () => {
  const { clock, dropped, made } = channels();
  const { sink, texts } = reader();
  made.subscribe('ahp-otlp://traces', sink, ADMIN);
  made.subscribe('ahp-otlp://logs/info', sink, ADMIN);
  for (let count = 0; count < 5_000; count += 1) {
    made.spans([span('one')]);
    made.record(record);
  }
  await clock.advance(100);
  const sum = (signal: string): number =>
    dropped.filter((entry) => entry[1] === signal).reduce((total, [count]) => total + count, 0);
  expect([sum('traces'), sum('logs')]).toEqual([904, 904]);
  const spans: number[] = texts
    .map((text) => JSON.parse(text))
    .filter(({ method }) => method === 'otlp/exportTraces')
    .map(({ params }) => params.payload.resourceSpans[0].scopeSpans[0].spans.length);
  expect(Math.max(...spans)).toBe(512);
  expect(spans.reduce((total, count) => total + count, 0)).toBe(4_096);
});

test('turns are read one after the other, at most 32 wait, and one that cannot be read is an empty batch', async () => {
  const gate = Promise.withResolvers<void>();
  let running = 0;
  let most = 0;
  const { made, failures } = channels(async () => {
    running += 1;
    most = Math.max(most, running);
    await gate.promise;
    running -= 1;
    throw new Error('the journal cannot be read');
  });
  const { sink, texts } = reader();
  const ask = (turn: number): void =>
    made.subscribe(`ahp-otlp://traces?chat=ahp-chat:/a&turn=${turn}`, sink, ADMIN);
  for (let turn = 0; turn < 32; turn += 1) ask(turn);
  expect(() => ask(33)).toThrow(expect.objectContaining({ code: -32011 }));
  gate.resolve();
  await expect.poll(() => texts.length).toBe(32);
  expect(most).toBe(1);
  expect(failures).toHaveLength(32);
  expect(JSON.parse(texts[0] ?? '').params.payload.resourceSpans[0].scopeSpans[0].spans).toEqual([]);
});
