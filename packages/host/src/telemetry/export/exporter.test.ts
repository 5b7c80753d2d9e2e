import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { SimulatedClock } from '@agenthost/testkit';
import { expect, onTestFinished, test, vi } from 'vitest';
import { memoryLog } from '../../lib/log.ts';
import { Exporter } from './exporter.ts';

const RESOURCE = { attributes: [{ key: 'service.name', value: { stringValue: 'a' } }] };
const SCOPE = { name: 'agenthost', version: '1' };

/** Waits for the network of a busy machine too. */
const until = (isReached: () => boolean | Promise<boolean>) =>
  vi.waitUntil(isReached, { timeout: 20_000, interval: 10 });

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A collector that answers with these statuses in turn, then with 200. `silent`: it never answers. */
async function collector(...statuses: (number | 'silent' | { status: number; retryAfter: string })[]) {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      received.push({ headers: request.headers, body: Buffer.concat(chunks) });
      const next = statuses.shift() ?? 200;
      if (next === 'silent') return;
      const { status, retryAfter } =
        typeof next === 'number' ? { status: next, retryAfter: undefined } : next;
      response
        .writeHead(status, retryAfter === undefined ? {} : { 'retry-after': retryAfter })
        .end('because');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/v1/traces`, received };
}

function exporterTo(url: string, more: { maxQueued?: number; isCompressed?: boolean } = {}) {
  const clock = new SimulatedClock();
  const log = memoryLog();
  const dropped: number[] = [];
  const { maxQueued = 100, isCompressed = false } = more;
  const exporter = new Exporter({
    signal: 'traces',
    endpoint: { url, headers: { 'x-key': 'k' }, timeoutMs: 10_000, isCompressed },
    settings: { delayMs: 5_000, maxBatch: 3, maxQueued },
    resource: RESOURCE,
    scope: SCOPE,
    timers: clock,
    log,
    onDropped: (count) => dropped.push(count),
  });
  return { exporter, clock, log, dropped };
}

const request = (spans: object[]): object => ({
  resourceSpans: [{ resource: RESOURCE, scopeSpans: [{ scope: SCOPE, spans }] }],
});

test('items are sent together after the delay, with the headers of the endpoint', async () => {
  const { url, received } = await collector();
  const { exporter, clock } = exporterTo(url);
  exporter.add({ name: 'a' });
  exporter.add({ name: 'b' });
  await clock.advance(4_999);
  expect(received).toEqual([]);
  await clock.advance(1);
  await until(() => received.length === 1);
  expect(JSON.parse(String(received[0]?.body))).toEqual(request([{ name: 'a' }, { name: 'b' }]));
  expect(received[0]?.headers).toMatchObject({ 'x-key': 'k', 'content-type': 'application/json' });
  await exporter.stop(1_000);
});

test('a full batch is sent at once, compressed if that is asked for', async () => {
  const { url, received } = await collector();
  const { exporter } = exporterTo(url, { isCompressed: true });
  for (const name of ['a', 'b', 'c']) exporter.add({ name });
  await until(() => received.length === 1);
  expect(received[0]?.headers['content-encoding']).toBe('gzip');
  const body = gunzipSync(received[0]?.body ?? Buffer.alloc(0));
  expect(JSON.parse(String(body))).toEqual(request([{ name: 'a' }, { name: 'b' }, { name: 'c' }]));
  await exporter.stop(1_000);
});

test('an overloaded endpoint gets the same items again, after the time that it asks for', async () => {
  const { url, received } = await collector(503, { status: 429, retryAfter: '60' });
  const { exporter, clock, dropped } = exporterTo(url);
  for (const name of ['a', 'b', 'c']) exporter.add({ name });
  await until(() => received.length === 1 && clock.nextAt !== undefined);
  await until(async () => {
    await clock.advance(1_000);
    return received.length === 2;
  });
  await until(async () => {
    await clock.advance(20_000);
    return received.length === 3;
  });
  expect(new Set(received.map(({ body }) => String(body))).size).toBe(1);
  expect(dropped).toEqual([]);
  await exporter.stop(1_000);
});

test('items that the endpoint refuses are dropped and counted, with one line in the log', async () => {
  const { url, received } = await collector(400, 401);
  const { exporter, log, dropped } = exporterTo(url);
  for (const name of ['a', 'b', 'c']) exporter.add({ name });
  await until(() => dropped.length === 1);
  for (const name of ['d', 'e', 'f']) exporter.add({ name });
  await until(() => dropped.length === 2);
  for (const name of ['g', 'h', 'i']) exporter.add({ name });
  await until(() => log.lines.length === 2);
  expect(received).toHaveLength(3);
  expect(dropped).toEqual([3, 3]);
  expect(log.lines.map(({ message }) => message)).toEqual([
    'telemetry cannot be sent and is dropped',
    'telemetry is sent again',
  ]);
  expect(log.lines[0]?.fields).toMatchObject({ reason: 'status 400 because' });
  await exporter.stop(1_000);
});

test('a full queue drops the newest items, and the caller never waits', async () => {
  const { exporter, dropped } = exporterTo('http://127.0.0.1:9', { maxQueued: 2 });
  for (let count = 0; count < 5; count += 1) exporter.add({ count });
  expect(dropped).toEqual([1, 1, 1]);
  await exporter.stop(1_000);
});

test('a stop sends what waits, and gives up an endpoint that is not there', async () => {
  const { url, received } = await collector();
  const { exporter } = exporterTo(url);
  exporter.add({ name: 'last' });
  await exporter.stop(1_000);
  expect(received).toHaveLength(1);
  exporter.add({ name: 'too late' });
  await exporter.stop(1_000);
  expect(received).toHaveLength(1);
  const gone = exporterTo('http://127.0.0.1:9');
  gone.exporter.add({ name: 'lost' });
  await gone.exporter.stop(1_000);
  expect(gone.dropped).toEqual([1]);
});

test('[OTLP-1] a collector that never answers costs a bounded queue, and the host neither waits for it nor shows its secrets', async () => {
  const { url, received } = await collector(...Array<'silent'>(6).fill('silent'));
  const secret = 'hunter2-and-more';
  const withSecrets = new URL(url);
  withSecrets.username = 'ada';
  withSecrets.password = secret;
  withSecrets.searchParams.set('key', secret);
  const { exporter, clock, log, dropped } = exporterTo(withSecrets.href, { maxQueued: 5 });
  for (let count = 0; count < 10; count += 1) exporter.add({ count });
  // Three items are in the request, five wait.
  expect(dropped).toEqual([1, 1]);
  await until(() => received.length === 1);
  await until(async () => {
    await clock.advance(10_000);
    return dropped.length === 3;
  });
  expect(dropped[2]).toBe(3);
  expect(log.lines).toHaveLength(1);
  expect(log.lines[0]).toMatchObject({
    level: 'warn',
    fields: { endpoint: url, reason: 'no answer within 10000 ms' },
  });
  expect(JSON.stringify(log.lines)).not.toContain(secret);
  // The collector answers again, and gets what has waited.
  await until(async () => {
    await clock.advance(5_000);
    return log.lines.length === 2;
  });
  expect(String(received[6]?.body)).toContain('"spans":[{"count":3},{"count":4},{"count":5}]');
  await exporter.stop(1_000);
});
