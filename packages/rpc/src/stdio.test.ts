import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { AnyMethods } from './methods.ts';
import { Peer } from './peer.ts';
import { stdioTransport } from './stdio.ts';
import type { CloseInfo } from './transport.ts';

function streams(maxLineBytes?: number) {
  const input = new PassThrough();
  const output = new PassThrough();
  const transport = stdioTransport({
    input,
    output,
    ...(maxLineBytes === undefined ? {} : { maxLineBytes }),
  });
  const frames: string[] = [];
  const closes: CloseInfo[] = [];
  const closed = new Promise<void>((resolve) => {
    transport.start({
      onFrame: (frame) => frames.push(frame),
      onClose: (info) => {
        closes.push(info);
        resolve();
      },
    });
  });
  return { input, output, transport, frames, closes, closed };
}

test('[WIRE-1] lines arrive whole from any chunks: split, joined, CRLF, empty, cut inside a character', async () => {
  const it = streams();
  const bytes = Buffer.from('{"a":"é漢"}\r\n\n\r\n{"b":1}\n{"c":"🙂"}\n{"torn":');
  for (const byte of bytes) it.input.write(Buffer.of(byte));
  it.input.end(bytes.subarray(0, 0));
  await it.closed;
  expect(it.frames).toEqual(['{"a":"é漢"}', '{"b":1}', '{"c":"🙂"}']);
  expect(it.closes).toEqual([{ code: 1000, reason: 'input ended' }]);
});

test('several lines in one chunk are several frames', async () => {
  const it = streams();
  it.input.end('1\n2\n3\n');
  await it.closed;
  expect(it.frames).toEqual(['1', '2', '3']);
});

test.each([['with its end'], ['without its end']])(
  'a line over the limit %s closes with 1009',
  async (which) => {
    const it = streams(10);
    it.input.write('0123456789\n');
    it.input.write(`01234567890${which === 'with its end' ? '\n' : ''}`);
    it.input.write('more\n');
    await it.closed;
    expect(it.frames).toEqual(['0123456789']);
    expect(it.closes).toMatchObject([{ code: 1009 }]);
  },
);

test('a frame with line breaks between its tokens is one line on the wire', async () => {
  const it = streams();
  it.transport.send('{\r\n "a": 1\n}');
  it.transport.close();
  it.transport.send('dropped');
  const chunks: Buffer[] = await it.output.toArray();
  expect(Buffer.concat(chunks).toString()).toBe('{  "a": 1 }\n');
  expect(it.closes).toEqual([{ code: 1000, reason: '' }]);
});

test('an error of the output closes the transport and is not thrown', async () => {
  const it = streams();
  it.output.destroy(new Error('EPIPE'));
  it.transport.send('x');
  await it.closed;
  expect(it.closes).toEqual([{ code: 1006, reason: 'EPIPE' }]);
});

test('[WIRE-1] a real child process answers over its stdin and stdout, and its exit is a close', async () => {
  const here = (file: string) => fileURLToPath(new URL(file, import.meta.url));
  const script = `
    import { Peer } from ${JSON.stringify(here('peer.ts'))};
    import { stdioTransport } from ${JSON.stringify(here('stdio.ts'))};
    const peer = new Peer(stdioTransport({ input: process.stdin, output: process.stdout }));
    peer.handle('upper', ({ text }) => text.toUpperCase());
    peer.start();`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const closes: CloseInfo[] = [];
  const peer = new Peer<AnyMethods, AnyMethods>(
    stdioTransport({ input: child.stdout, output: child.stdin }),
    { onClose: (info) => closes.push(info) },
  ).start();
  const long = 'é'.repeat(200_000);
  await expect(peer.request('upper', { text: long })).resolves.toBe('É'.repeat(200_000));
  // The child exits when its stdin ends.
  peer.close();
  await expect(exited).resolves.toEqual([0, null]);
  expect(closes).toEqual([{ code: 1000, reason: '' }]);
});
