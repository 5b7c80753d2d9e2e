import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Transport } from '@agenthost/rpc';
import { memoryPair } from '@agenthost/rpc/memory';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkRecording } from './check-recording.ts';
import { harOf } from './har.ts';
import { readRecording } from './read-recording.ts';
import { recordTransport } from './record-transport.ts';
import { FrameRecorder } from './recorder.ts';
import { REMOVED, withoutSecrets } from './secrets.ts';

let folder: string;
const troubles: unknown[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agenthost-recording-'));
  troubles.length = 0;
});
afterEach(() => rmSync(folder, { recursive: true }));

const recorderAt = (file: string) =>
  new FrameRecorder({ file, program: 'test 1', side: 'client', onTrouble: (cause) => troubles.push(cause) });

/** A connection whose client side is recorded. */
function pair(recorder: FrameRecorder): { client: Transport; host: Transport; got: string[] } {
  const [near, host] = memoryPair({ delivery: 'immediate' });
  const client = recordTransport(near, recorder);
  const got: string[] = [];
  client.start({ onFrame: (frame) => got.push(frame), onClose: () => undefined });
  host.start({ onFrame: (frame) => got.push(frame), onClose: () => undefined });
  return { client, host, got };
}

describe('a recording', () => {
  test('has all frames of all connections in order, both ways, with their ends', () => {
    const file = join(folder, 'r.ndjson');
    const recorder = recorderAt(file);
    const [first, second] = [pair(recorder), pair(recorder)];
    first.client.send('{"id":1,"method":"ping"}');
    first.host.send('{"id":1,"result":null}');
    second.host.send('not JSON, and a secret');
    first.client.close(4000, 'over');
    recorder.close();
    expect(first.got).toHaveLength(2);
    const text = readFileSync(file, 'utf8');
    expect(text).not.toContain('a secret');
    expect(readRecording(text)).toMatchObject([
      { connection: 1, direction: 'client-to-host', message: { id: 1, method: 'ping' } },
      { connection: 1, direction: 'host-to-client', message: { id: 1, result: null } },
      { connection: 2, direction: 'host-to-client' },
      { connection: 1, closed: { code: 4000, reason: 'over' } },
    ]);
    expect(checkRecording(text)).toEqual([]);
    const { log } = JSON.parse(harOf(readRecording(text), { name: 'test', version: '1' }));
    expect(log).toMatchObject({ version: '1.2', creator: { name: 'test' } });
    expect(log.entries).toMatchObject([
      {
        request: { url: 'ws://recorded.invalid/ahp?connection=1' },
        response: { status: 101 },
        _resourceType: 'websocket',
        _webSocketMessages: [
          { type: 'send', opcode: 1, data: '{"id":1,"method":"ping"}' },
          { type: 'receive', data: '{"id":1,"result":null}' },
        ],
      },
      { _webSocketMessages: [] },
    ]);
  });

  test('is checked line by line', () => {
    const head = { time: '2026-01-31T09:05:00.000Z', recording: { format: 1, side: 'host', program: 'x' } };
    const { time } = head;
    const frame = { time, connection: 1, direction: 'client-to-host', message: {}, more: true };
    const textOf = (...lines: readonly unknown[]): string =>
      lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    const dropped = { time, droppedCount: 3 };
    const unreadable = { ...frame, message: undefined, unreadableLength: 0 };
    const closed = { time, connection: 1, closed: { code: 1006, reason: '' } };
    expect(checkRecording(textOf(head, frame, unreadable, dropped, closed))).toEqual([]);
    expect(checkRecording('')).toEqual([{ line: 1, problem: 'the file has no whole line' }]);
    const wrong = textOf(
      frame,
      [],
      { ...frame, time: 'today' },
      { ...frame, connection: 0 },
      { ...frame, direction: 'up' },
      { ...frame, message: 'text' },
      { ...dropped, droppedCount: 1.5 },
      { ...closed, closed: {} },
    );
    expect(checkRecording(`${wrong}{"time"`).map(({ line, problem }) => `${line} ${problem}`)).toEqual([
      '1 the first line has no member recording',
      '2 expected a JSON object',
      '3 time: expected UTC in the form 2026-01-31T09:05:00.000Z',
      '4 connection: expected a positive integer',
      '5 direction: expected client-to-host or host-to-client',
      '6 expected a message, closed, droppedCount or unreadableLength',
      '7 droppedCount: expected a positive integer',
      '8 closed: expected a code and a reason',
      '9 the line is not complete',
    ]);
    expect(checkRecording('x\n'.repeat(1_000))).toHaveLength(100);
  });

  test('is readable by its owner only, also when an empty file was there before', () => {
    const file = join(folder, 'r.ndjson');
    writeFileSync(file, '', { mode: 0o644 });
    recorderAt(file).close();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['r.ndjson']);
  });

  test('keeps earlier files of its name, as of a host that was killed', () => {
    const file = join(folder, 'r.ndjson');
    writeFileSync(file, 'first');
    recorderAt(file).close();
    recorderAt(file).close();
    expect(readdirSync(folder).toSorted()).toEqual(['r.ndjson', 'r.ndjson.1', 'r.ndjson.2']);
    expect(readFileSync(`${file}.1`, 'utf8')).toBe('first');
    expect(readFileSync(`${file}.2`, 'utf8')).toContain('"recording"');
  });

  test('that cannot be written is reported once, and the connection goes on', () => {
    const recorder = recorderAt(join(folder, 'missing/r.ndjson'));
    const { client, got } = pair(recorder);
    client.send('{}');
    recorder.close();
    expect(got).toEqual(['{}']);
    expect(troubles).toHaveLength(1);
  });

  test('that fails on a full disk ends there', () => {
    const recorder = recorderAt('/dev/full');
    const { client, got } = pair(recorder);
    for (let count = 0; count < 10; count += 1) client.send('{}');
    recorder.close();
    expect(got).toHaveLength(10);
    expect(troubles).toHaveLength(1);
  });

  test('counts the frames that it had to leave out in a flood', () => {
    const file = join(folder, 'r.ndjson');
    const recorder = recorderAt(file);
    const { client } = pair(recorder);
    const big = JSON.stringify({ text: 'x'.repeat(12 * 1024 * 1024) });
    for (let count = 0; count < 5; count += 1) client.send(big);
    recorder.close();
    expect(readRecording(readFileSync(file, 'utf8')).at(-1)).toMatchObject({ droppedCount: 2 });
  });

  test('in the short form of other recorders is read as well', () => {
    const line = JSON.stringify({ t: 5, dir: 's2c', conn: 2, m: { method: 'action' } });
    expect(readRecording(`${line}\n{"t": 6, "di`)).toEqual([
      { timeMs: 5, connection: 2, direction: 'host-to-client', message: { method: 'action' } },
    ]);
  });

  test('with a broken line is refused with the number of the line', () => {
    expect(() => readRecording('{"time":1,"direction":"c2s"}\n{\n{}')).toThrow('line 2 is not JSON');
  });
});

describe('secrets', () => {
  test.each([
    ['of authenticate', { params: { resource: 'r', token: 's3cret' } }],
    ['of a new access token', { result: { token: { id: 't', name: 'n' }, secret: 's3cret' } }],
    ['of an agent', { method: 'x-setAgentKey', params: { provider: 'p', apiKey: 's3cret' } }],
    ['of a sign-in', { result: { resource: 'r', token: 's3cret' } }],
    ['typed into a terminal', { params: { action: { type: 'terminal/input', data: 's3cret' } } }],
    [
      'typed into a terminal, in a replay',
      { result: { actions: [{ action: { type: 'terminal/input', data: 's3cret' } }] } },
    ],
    ['of a client registration', { oauthClient: { clientId: 'c', clientSecret: 's3cret' } }],
    ['in the environment of a terminal', { params: { 'x-env': { PASS: 's3cret' } } }],
    ['in settings', { config: { githubToken: 's3cret', private_key: 's3cret', GITHUB_TOKEN: 's3cret' } }],
    ['in a URL', { url: 'https://h/p?tkn=s3cret&x=1' }],
  ])('%s are removed', (_of, message) => {
    const text = JSON.stringify(withoutSecrets(message));
    expect(text).not.toContain('s3cret');
    expect(text).toContain(REMOVED);
  });

  test('are nothing else: an empty token, progress tokens and output of terminals stay', () => {
    const message = {
      token: '',
      progressToken: 'p',
      action: { type: 'terminal/data', data: 'd' },
      a: [{ b: 1 }],
    };
    expect(withoutSecrets(message)).toBe(message);
  });
});
