import { describe, expect, test } from 'vitest';
import {
  acknowledgeFrame,
  controlFrame,
  DATA_HEADER_BYTES,
  FRAME_LIMIT_BYTES,
  type Frame,
  FrameError,
  FrameReader,
  HELLO_LIMIT_BYTES,
  inputFrames,
  writeDataHeader,
} from './frames.ts';
import { parseHostMessage, parseKeeperMessage } from './protocol.ts';

/** Frames with copied bytes, since the reader reuses its buffer after the call. */
function collect(): { reader: FrameReader; frames: Frame[] } {
  const frames: Frame[] = [];
  const reader = new FrameReader((frame) => {
    frames.push('bytes' in frame ? { ...frame, bytes: Uint8Array.from(frame.bytes) } : frame);
  });
  return { reader, frames };
}

function dataFrame(pty: number, offset: number, text: string): Buffer {
  const frame = Buffer.concat([Buffer.alloc(DATA_HEADER_BYTES), Buffer.from(text)]);
  writeDataHeader(frame, pty, offset);
  return frame;
}

const sent = Buffer.concat([
  controlFrame({ type: 'list', request: 1 }),
  dataFrame(3, 5_000_000_000, 'größer'),
  ...inputFrames(2 ** 32 - 1, '→'),
  dataFrame(4, 0, ''),
  acknowledgeFrame(7, Number.MAX_SAFE_INTEGER),
]);

const expected: readonly Frame[] = [
  { kind: 'control', text: '{"type":"list","request":1}' },
  { kind: 'data', pty: 3, offset: 5_000_000_000, bytes: new TextEncoder().encode('größer') },
  { kind: 'input', pty: 2 ** 32 - 1, bytes: new TextEncoder().encode('→') },
  { kind: 'data', pty: 4, offset: 0, bytes: new Uint8Array(0) },
  { kind: 'acknowledge', pty: 7, offset: Number.MAX_SAFE_INTEGER },
];

describe('frames', () => {
  test('are read as written, wherever the stream is cut', () => {
    for (let size = 1; size <= sent.length; size += 1) {
      const { reader, frames } = collect();
      for (let at = 0; at < sent.length; at += size) reader.push(sent.subarray(at, at + size));
      expect(frames, `cut into pieces of ${size}`).toEqual(expected);
    }
  });

  test('stop at once when the receiver stops', () => {
    const frames: Frame[] = [];
    const reader = new FrameReader((frame) => {
      frames.push(frame);
      reader.stop();
    });
    reader.push(sent);
    reader.push(sent);
    expect(frames.map(({ kind }) => kind)).toEqual(['control']);
  });

  test.each([
    ['no length', [0, 0, 0, 0]],
    ['an unknown kind', [0, 0, 0, 2, 99, 1]],
    ['a body too short for output', [0, 0, 0, 3, 2, 0, 0]],
    ['a body too short for keys', [0, 0, 0, 2, 3, 0]],
    ['an acknowledgement with a tail', [0, 0, 0, 14, 4, ...Array.from({ length: 13 }, () => 0)]],
    ['an offset that is no number', [0, 0, 0, 13, 4, 0, 0, 0, 1, 0x7f, 0xf8, 0, 0, 0, 0, 0, 0]],
  ])('are refused with %s', (_what, bytes) => {
    expect(() => collect().reader.push(Buffer.from(bytes))).toThrow(FrameError);
  });

  test('above the limit are refused before their body arrives; until hello the limit is small', () => {
    const length = (bytes: number) => Buffer.from([bytes >>> 24, bytes >>> 16, bytes >>> 8, bytes]);
    const { reader } = collect();
    reader.push(length(HELLO_LIMIT_BYTES));
    expect(() => collect().reader.push(length(HELLO_LIMIT_BYTES + 1))).toThrow(FrameError);
    const later = collect().reader;
    later.limitBytes = FRAME_LIMIT_BYTES;
    expect(() => later.push(length(FRAME_LIMIT_BYTES + 1))).toThrow(FrameError);
    expect(() => controlFrame({ text: 'x'.repeat(FRAME_LIMIT_BYTES) })).toThrow(FrameError);
  });
});

describe('messages', () => {
  test('of an unknown type are ignored', () => {
    expect(parseHostMessage('{"type":"future","x":1}')).toBeUndefined();
    expect(parseKeeperMessage('{"type":"future"}')).toBeUndefined();
  });

  test('may have unknown fields', () => {
    expect(parseHostMessage('{"type":"kill","request":1,"pty":2,"how":"gently"}')).toEqual({
      type: 'kill',
      request: 1,
      pty: 2,
    });
  });

  test('pass invalid sizes on to the pty, which refuses them', () => {
    const resize = (cols: unknown) =>
      parseHostMessage(JSON.stringify({ type: 'resize', pty: 1, cols, rows: 24 }));
    expect(resize(-1)).toEqual({ type: 'resize', pty: 1, cols: -1, rows: 24 });
    expect(resize(Number.NaN)).toEqual({ type: 'resize', pty: 1, cols: 0, rows: 24 });
  });

  test.each([
    'nothing',
    '[]',
    'null',
    '{"type":"hello","protocol":"1","build":"1","pid":1}',
    '{"type":"kill","request":1,"pty":-1}',
    '{"type":"signal","pty":1,"signal":"toString"}',
    '{"type":"spawn","request":1,"spec":{"id":"a","command":[],"cwd":"/","env":{},"cols":1,"rows":1}}',
    '{"type":"spawn","request":1,"spec":{"id":"a","command":["a"],"cwd":"/","env":{"A":1},"cols":1,"rows":1}}',
  ])('are refused when malformed: %s', (text) => {
    expect(() => parseHostMessage(text)).toThrow(FrameError);
  });
});
