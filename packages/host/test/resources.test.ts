import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { ROOT, startHost } from './host-fixture.ts';

async function started() {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'agenthost-resources-')));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  for (const name of ['work', 'outside']) mkdirSync(join(base, name));
  writeFileSync(join(base, 'work', 'a.txt'), 'hello');
  writeFileSync(join(base, 'outside', 'b.txt'), 'b');
  const uri = (...names: string[]): string => pathToFileURL(join(base, ...names)).href;
  const host = await startHost({ roots: [join(base, 'work')], defaultDirectory: join(base, 'work') });
  const admin = await host.client('admin');
  const person = await host.client('person', {}, { tokenHash: 'person', scope: 'interact' });
  const session = { channel: 'ahp-session:/one', workingDirectories: [uri('work')] };
  await admin.request('createSession', session);
  return { base, uri, host, admin, person };
}

test('[RES-1] a client writes, resolves, copies, moves and deletes files of a working directory', async () => {
  const { base, uri, person } = await started();
  const written = await person.request('resourceWrite', {
    channel: ROOT,
    uri: uri('work', 'new.md'),
    data: '# new',
    encoding: 'utf-8',
    createOnly: true,
  });
  const found = await person.request('resourceResolve', { channel: ROOT, uri: uri('work', 'new.md') });
  expect(found).toMatchObject({
    type: 'file',
    size: 5,
    contentType: 'text/markdown',
    etag: written['x-etag'],
  });
  const copied = {
    channel: ROOT,
    source: uri('work', 'new.md'),
    destination: uri('work', 'copy.md'),
  } as const;
  expect(await person.request('resourceCopy', copied)).toStrictEqual({});
  const moved = {
    channel: ROOT,
    source: uri('work', 'copy.md'),
    destination: uri('work', 'moved.md'),
  } as const;
  expect(await person.request('resourceMove', moved)).toStrictEqual({});
  const removed = { channel: ROOT, uri: uri('work', 'new.md') } as const;
  expect(await person.request('resourceDelete', removed)).toStrictEqual({});
  expect(existsSync(join(base, 'work', 'new.md'))).toBe(false);
  expect(readFileSync(join(base, 'work', 'moved.md'), 'utf8')).toBe('# new');
  const read = { channel: ROOT, uri: uri('work', 'moved.md') } as const;
  expect(await person.request('resourceRead', read)).toMatchObject({ data: '# new', encoding: 'utf-8' });
});

test('[RES-2] writing ends with the session that works in the folder', async () => {
  const { base, uri, admin, person } = await started();
  const write = () =>
    person.request('resourceWrite', {
      channel: ROOT,
      uri: uri('work', 'a.txt'),
      data: 'x',
      encoding: 'utf-8',
    });
  await write();
  await admin.request('disposeSession', { channel: 'ahp-session:/one' });
  await expect(write()).rejects.toMatchObject({
    code: -32009,
    data: { request: { channel: ROOT, uri: uri('work', 'a.txt'), write: true } },
  });
  expect(readFileSync(join(base, 'work', 'a.txt'), 'utf8')).toBe('x');
});

test('[RES-2] a request that asks for nothing, or for a folder of the host, is refused at once', async () => {
  const { uri, person } = await started();
  const ask = (params: object) => person.raw('resourceRequest', { channel: ROOT, ...params });
  await expect(ask({ uri: uri('outside') })).rejects.toMatchObject({ code: -32602 });
  await expect(ask({ uri: 'virtual://x', read: true })).rejects.toMatchObject({ code: -32602 });
  expect(await ask({ uri: uri('work', 'a.txt'), read: true, write: true })).toStrictEqual({});
});

test('[RES-1] a file that is too large for one answer is read by ranges, with its size and etag', async () => {
  const { base, uri, person } = await started();
  const path = join(base, 'work', 'film.mp4');
  const content = Buffer.alloc(25 * 1024 * 1024, 'film');
  content.write('the end', content.length - 7);
  writeFileSync(path, content);
  const read = (start: number, length: number) =>
    person.request('resourceRead', {
      channel: ROOT,
      uri: uri('work', 'film.mp4'),
      'x-range': { start, length },
    });
  await expect(
    person.request('resourceRead', { channel: ROOT, uri: uri('work', 'film.mp4') }),
  ).rejects.toMatchObject({ code: -32602 });
  const { etag } = await person.request('resourceResolve', { channel: ROOT, uri: uri('work', 'film.mp4') });
  const facts = { encoding: 'base64', contentType: 'video/mp4', 'x-size': content.length, 'x-etag': etag };
  const at = (text: string) => ({ ...facts, data: Buffer.from(text).toString('base64') });
  expect(await read(2, 6)).toEqual(at('lmfilm'));
  expect(await read(content.length - 3, 1000)).toEqual(at('end'));
  expect(await read(content.length + 5, 10)).toEqual(at(''));
  expect(await read(0, 0)).toEqual(at(''));
  for (const range of [
    { start: 0, length: 24 * 1024 * 1024 + 1 },
    { start: -1, length: 1 },
    { start: 0.5, length: 1 },
    { start: 0 },
  ] as { start: number; length: number }[])
    await expect(read(range.start, range.length)).rejects.toMatchObject({ code: -32602 });
});

test('[RES-2] a range is read only where the whole file would be', async () => {
  const { uri, person } = await started();
  const range = { start: 0, length: 1 };
  const read = (...names: string[]) =>
    person.request('resourceRead', { channel: ROOT, uri: uri(...names), 'x-range': range });
  expect(await read('work', 'a.txt')).toMatchObject({ data: Buffer.from('h').toString('base64') });
  await expect(read('outside', 'b.txt')).rejects.toMatchObject({ code: -32009 });
  await expect(read('work')).rejects.toMatchObject({ code: -32602 });
  await expect(read('work', 'none')).rejects.toMatchObject({ code: -32008 });
});
