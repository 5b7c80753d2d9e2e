import type { TelemetryCapabilities } from '@agenthost/protocol';
import { expect, test } from 'vitest';
import { UnexpectedState } from '../errors.ts';
import { openTelemetry } from './open-telemetry.ts';
import type { TelemetryPort } from './telemetry.ts';

const ALL: TelemetryCapabilities = {
  logs: 'ahp-otlp://logs/{level}',
  traces: 'ahp-otlp://traces',
  metrics: 'ahp-otlp://metrics',
};

type Listener = (params: { channel: string; payload: Record<string, unknown> }) => void;

/** A client of a host that offers these channels. `onSubscribe` is called before the answer to a subscription. */
function port(offered: TelemetryCapabilities, onSubscribe: (uri: string) => void = () => undefined) {
  const listeners = new Map<string, Set<Listener>>();
  const held = new Set<string>();
  const made: TelemetryPort = {
    host: { telemetry: offered },
    subscribeStateless: async (uri) => {
      if (held.has(uri)) throw new Error(`${uri} is held already`);
      held.add(uri);
      onSubscribe(uri);
      return () => held.delete(uri);
    },
    onNotification: (method, listener) => {
      const all = listeners.get(method) ?? new Set();
      listeners.set(method, all.add(listener));
      return () => all.delete(listener);
    },
  };
  const tell = (method: string, channel: string, payload: Record<string, unknown>): void => {
    for (const listener of listeners.get(method) ?? []) listener({ channel, payload });
  };
  return { made, held, tell };
}

const spans = (...items: unknown[]) => ({ resourceSpans: [{ scopeSpans: [{ spans: items }] }] });

test('logs have the asked severity and past, and only records of their channel are read', async () => {
  const { made, held, tell } = port(ALL);
  const bodies: unknown[] = [];
  const telemetry = await openTelemetry(made);
  const stop = await telemetry.logs((entry) => bodies.push(entry), { severity: 'warn', tail: 5 });
  const channel = 'ahp-otlp://logs/warn?tail=5';
  expect([...held]).toEqual([channel]);
  const record = {
    timeUnixNano: '1500000000',
    severityText: 'WARN',
    body: { stringValue: 'a line' },
    attributes: [{ key: 'count', value: { intValue: '7' } }, { key: 'broken' }, 'nothing'],
  };
  const payload = { resourceLogs: [{ scopeLogs: [{ logRecords: [record, null] }] }, 'nothing'] };
  tell('otlp/exportLogs', 'ahp-otlp://logs/info', payload);
  tell('otlp/exportLogs', channel, payload);
  expect(bodies).toEqual([
    { ms: 1_500, severity: 'WARN', body: 'a line', attributes: { count: 7 } },
    { ms: 0, severity: '', body: '', attributes: {} },
  ]);
  stop();
  expect(held.size).toBe(0);
  tell('otlp/exportLogs', channel, payload);
  expect(bodies).toHaveLength(2);
});

test('two readings of one turn at a time both get their spans, and hold nothing afterwards', async () => {
  const turn = { spanId: 'a', name: 'invoke_agent demo', startTimeUnixNano: '0', endTimeUnixNano: '2000000' };
  const it = port(ALL, (uri) => it.tell('otlp/exportTraces', uri, spans(turn)));
  const telemetry = await openTelemetry(it.made);
  const both = await Promise.all([
    telemetry.spansOfTurn('ahp-chat:/a', 'one'),
    telemetry.waterfallOfTurn('ahp-chat:/a', 'one'),
  ]);
  expect(both[0]).toMatchObject([{ id: 'a', startMs: 0, endMs: 2 }]);
  expect(both[1]).toMatchObject({ durationMs: 2 });
  await Promise.resolve();
  expect(it.held.size).toBe(0);
});

test('a channel that the host does not offer, and one of another scheme, are errors that say so', async () => {
  const telemetry = await openTelemetry(port({ traces: 'https://example.com/traces' }).made);
  expect(() => telemetry.logs(() => undefined)).toThrow(/no logs to this token.*scope admin/);
  expect(() => telemetry.spans(() => undefined)).toThrow(UnexpectedState);
  await expect(telemetry.spansOfTurn('ahp-chat:/a', 'one')).rejects.toThrow('the host offers no traces');
});
