import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Harness } from '../../test/harness.ts';
import type { StreamOptions } from './file-ranges.ts';

const FILE = 'file:///home/me/a.txt';
let it: Harness;
let asked: [string, unknown][];

beforeEach(async () => {
  it = await new Harness().online();
  asked = [];
});

/** Makes the host answer a method. */
const answers = (method: string, result: unknown): void => {
  it.host.answers.set(method, (params) => {
    asked.push([method, params]);
    return result;
  });
};
const root = { channel: 'ahp-root://' };

test('[RES-1] a file is read as text where it is text, and always as bytes', async () => {
  answers('resourceRead', { data: 'grüezi', encoding: 'utf-8', contentType: 'text/plain' });
  expect(await it.run(it.client.files.read(FILE))).toStrictEqual({
    text: 'grüezi',
    bytes: new TextEncoder().encode('grüezi'),
    contentType: 'text/plain',
  });
  answers('resourceRead', { data: 'AP+A', encoding: 'base64' });
  expect(await it.run(it.client.files.read(FILE))).toStrictEqual({ bytes: new Uint8Array([0, 255, 128]) });
  expect(asked[0]).toEqual(['resourceRead', { ...root, uri: FILE }]);
});

test('[RES-1] a file is written as text or as bytes, with the options that were given', async () => {
  answers('resourceWrite', { 'x-etag': 'e2' });
  const { files } = it.client;
  expect(await it.run(files.write(FILE, 'text', { ifMatch: 'e1' }))).toBe('e2');
  const bytes = Uint8Array.from({ length: 100_000 }, (_, index) => index % 256);
  await it.run(files.write(FILE, bytes, { createOnly: true, mode: 'append', position: 3 }));
  expect(asked).toEqual([
    ['resourceWrite', { ...root, uri: FILE, data: 'text', encoding: 'utf-8', ifMatch: 'e1' }],
    [
      'resourceWrite',
      {
        ...root,
        uri: FILE,
        data: Buffer.from(bytes).toString('base64'),
        encoding: 'base64',
        createOnly: true,
        mode: 'append',
        position: 3,
      },
    ],
  ]);
});

test('[RES-1] files are copied, moved, deleted and resolved', async () => {
  for (const method of ['resourceCopy', 'resourceMove', 'resourceDelete', 'resourceRequest'])
    answers(method, {});
  const facts = { uri: FILE, type: 'file', size: 3, etag: 'e' };
  answers('resourceResolve', facts);
  const { files } = it.client;
  await it.run(files.copy(FILE, `${FILE}2`));
  await it.run(files.move(FILE, `${FILE}2`, { failIfExists: true }));
  await it.run(files.remove(FILE, { recursive: true }));
  await it.run(files.request(FILE, { read: true }));
  expect(await it.run(files.resolve(FILE, { followSymlinks: false }))).toEqual(facts);
  expect(asked).toEqual([
    ['resourceCopy', { ...root, source: FILE, destination: `${FILE}2` }],
    ['resourceMove', { ...root, source: FILE, destination: `${FILE}2`, failIfExists: true }],
    ['resourceDelete', { ...root, uri: FILE, recursive: true }],
    ['resourceRequest', { ...root, uri: FILE, read: true }],
    ['resourceResolve', { ...root, uri: FILE, followSymlinks: false }],
  ]);
});

test('[RES-2] grants are listed, answered and revoked, and changes are heard', async () => {
  answers('x-listGrants', { items: [], requests: [] });
  answers('x-answerGrant', null);
  answers('x-revokeGrant', null);
  const { grants } = it.client;
  let heard = 0;
  const stop = grants.onChange(() => {
    heard += 1;
  });
  expect(await it.run(grants.list())).toEqual({ items: [], requests: [] });
  await it.run(grants.answer('r', false));
  await it.run(grants.revoke('g'));
  expect(asked.slice(1)).toEqual([
    ['x-answerGrant', { ...root, id: 'r', isGranted: false }],
    ['x-revokeGrant', { ...root, id: 'g' }],
  ]);
  it.host.notifyAll('x-grantsChanged', root);
  await it.settle();
  stop();
  it.host.notifyAll('x-grantsChanged', root);
  await it.settle();
  expect(heard).toBe(1);
});

describe('reading in pieces', () => {
  // The virtual clock of the harness does not wait for code that is loaded on demand.
  beforeAll(() => import('./file-ranges.ts'));

  /** Answers ranges of `content`; `facts` may change between two requests. */
  const serves = (content: Buffer, facts: () => object = () => ({ 'x-etag': 'e' })): void => {
    it.host.answers.set('resourceRead', (params) => {
      asked.push(['resourceRead', params]);
      const { start, length } = (params as { 'x-range': { start: number; length: number } })['x-range'];
      const data = content.subarray(start, start + length).toString('base64');
      return { data, encoding: 'base64', contentType: 'video/mp4', 'x-size': content.length, ...facts() };
    });
  };
  const readAll = async (options: StreamOptions = {}): Promise<Buffer> => {
    const pieces: Uint8Array[] = [];
    for await (const piece of it.client.files.stream(FILE, options)) pieces.push(piece);
    return Buffer.concat(pieces);
  };

  test('[RES-1] a file of any size comes in pieces', async () => {
    const content = Buffer.from('0123456789');
    serves(content);
    const sizes: number[] = [];
    expect(await it.run(readAll({ pieceBytes: 4, onSize: (size) => sizes.push(size) }))).toEqual(content);
    expect(sizes).toEqual([10]);
    expect(asked.map(([, params]) => params)).toEqual(
      [0, 4, 8].map((start) => ({ ...root, uri: FILE, encoding: 'base64', 'x-range': { start, length: 4 } })),
    );
    expect(await it.run(it.client.files.readRange(FILE, { start: 8, length: 9 }))).toEqual({
      bytes: new Uint8Array([56, 57]),
      size: 10,
      contentType: 'video/mp4',
      etag: 'e',
    });
    serves(Buffer.alloc(0));
    expect(await it.run(readAll())).toHaveLength(0);
  });

  test('[RES-1] a file that changes meanwhile is refused with -32011', async () => {
    let version = 0;
    serves(Buffer.from('0123456789'), () => ({ 'x-etag': `e${version++}` }));
    await expect(it.run(readAll({ pieceBytes: 4 }))).rejects.toMatchObject({ code: -32011 });
    let size = 10;
    serves(Buffer.from('01234'), () => ({ 'x-size': size }));
    await expect(it.run(readAll({ pieceBytes: 5 }))).rejects.toMatchObject({ code: -32011 });
    size = 5;
    expect(await it.run(readAll({ pieceBytes: 5 }))).toHaveLength(5);
  });

  test('a host that does not know ranges answers with everything', async () => {
    answers('resourceRead', { data: 'grüezi', encoding: 'utf-8' });
    expect((await it.run(readAll({ pieceBytes: 3 }))).toString()).toBe('grüezi');
  });

  test('a piece of no bytes is refused', async () => {
    for (const pieceBytes of [0, -1, 1.5, Number.NaN])
      await expect(it.run(readAll({ pieceBytes }))).rejects.toThrow(RangeError);
  });
});
