import { spawnSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../lib/clock.ts';
import { silentLog } from '../lib/log.ts';
import { fileUriOf } from './file-uri.ts';
import { PathPolicy } from './path-policy.ts';
import { PrivatePaths } from './private-paths.ts';
import { isWithin } from './real-path.ts';
import { encodeBytes, readFileResource, toWireError } from './resources.ts';
import { createWorkspace } from './workspace.ts';

const privatePaths = new PrivatePaths([]);

let base: string;
let work: string;
let outside: string;

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'agenthost-workspace-')));
  work = join(base, 'work');
  outside = join(base, 'outside');
  mkdirSync(join(work, 'sub'), { recursive: true });
  mkdirSync(outside);
  writeFileSync(join(work, 'a.txt'), 'hello');
  writeFileSync(join(outside, 'secret.txt'), 'secret');
});

afterEach(() => {
  rmSync(base, { recursive: true, force: true });
});

function read(path: string, encoding?: 'utf-8' | 'base64', maxBytes?: number) {
  const policy = new PathPolicy({ privatePaths, workingDirectories: () => [work] });
  return readFileResource(fileUriOf(path), encoding, { policy, ...(maxBytes !== undefined && { maxBytes }) });
}

function fails(code: number) {
  return expect.objectContaining({ name: 'WireError', code });
}

describe('reading', () => {
  test('[RES-1] text comes as utf-8, and as base64 on request', async () => {
    expect(await read(join(work, 'a.txt'))).toEqual({
      data: 'hello',
      encoding: 'utf-8',
      contentType: 'text/plain',
    });
    expect(await read(join(work, 'a.txt'), 'base64')).toEqual({
      data: 'aGVsbG8=',
      encoding: 'base64',
      contentType: 'text/plain',
    });
  });

  test.each([
    ['a byte that begins nothing', [0x61, 0xff]],
    ['a character cut short', [0x61, 0xc3]],
    ['an overlong encoding', [0xc0, 0xaf]],
    ['a lone surrogate', [0xed, 0xa0, 0x80]],
  ])('[RES-1] %s is never returned as text, even when utf-8 is asked for', async (_name, bytes) => {
    const path = join(work, 'x.txt');
    writeFileSync(path, Buffer.from(bytes));
    for (const encoding of [undefined, 'utf-8'] as const) {
      const result = await read(path, encoding);
      expect(result.encoding).toBe('base64');
      expect([...Buffer.from(result.data, 'base64')]).toEqual(bytes);
    }
  });

  test('[RES-1] a byte order mark stays, and a file with a NUL is binary', async () => {
    writeFileSync(join(work, 'bom.txt'), '\ufeffé');
    writeFileSync(join(work, 'nul'), 'a\0b');
    expect(await read(join(work, 'bom.txt'))).toMatchObject({ data: '\ufeffé', encoding: 'utf-8' });
    expect(await read(join(work, 'nul'))).toMatchObject({
      encoding: 'base64',
      contentType: 'application/octet-stream',
    });
    expect(await read(join(work, 'nul'), 'utf-8')).toMatchObject({ data: 'a\0b', encoding: 'utf-8' });
  });

  test('text whose JSON would be many times its size comes as base64', async () => {
    writeFileSync(join(work, 'controls'), Buffer.alloc(9 * 1024 * 1024, 1));
    expect(await read(join(work, 'controls'))).toMatchObject({ encoding: 'base64' });
    writeFileSync(join(work, 'letters'), Buffer.alloc(9 * 1024 * 1024, 'a'));
    expect(await read(join(work, 'letters'))).toMatchObject({ encoding: 'utf-8' });
  });

  test('the content type comes from the extension, otherwise from the content', async () => {
    writeFileSync(join(work, 'a.PNG'), Buffer.from([0x89, 0x50]));
    writeFileSync(join(work, 'Makefile'), 'all:');
    writeFileSync(join(work, 'empty'), '');
    expect(await read(join(work, 'a.PNG'))).toMatchObject({ contentType: 'image/png', encoding: 'base64' });
    expect(await read(join(work, 'Makefile'))).toMatchObject({ contentType: 'text/plain' });
    expect(await read(join(work, 'empty'))).toEqual({
      data: '',
      encoding: 'utf-8',
      contentType: 'text/plain',
    });
  });

  test('a file above the limit is refused with both sizes, one at the limit is read', async () => {
    expect(await read(join(work, 'a.txt'), 'utf-8', 5)).toMatchObject({ data: 'hello' });
    await expect(read(join(work, 'a.txt'), 'utf-8', 4)).rejects.toThrow(fails(-32602));
    await expect(read(join(work, 'a.txt'), 'utf-8', 4)).rejects.toThrow(/has 5 bytes, and at most 4/);
  });

  test('[RES-1] a large file comes whole', async () => {
    const content = Buffer.alloc(1_000_003, 'é');
    writeFileSync(join(work, 'large.bin'), content);
    const { data } = await read(join(work, 'large.bin'), 'base64');
    expect(Buffer.from(data, 'base64').equals(content)).toBe(true);
  });

  test.runIf(process.platform === 'linux')(
    'a file that says it is empty and is not is read to its end',
    async () => {
      const policy = new PathPolicy({ privatePaths, workingDirectories: () => ['/proc/self'] });
      const { data } = await readFileResource('file:///proc/self/status', 'utf-8', { policy });
      expect(data).toContain(`Pid:\t${process.pid}\n`);
      await expect(
        readFileResource('file:///proc/self/status', 'utf-8', { policy, maxBytes: 100 }),
      ).rejects.toThrow(fails(-32602));
    },
  );
});

describe('a refused read', () => {
  test('[RES-1] a missing file is -32008, a directory and a bad URI -32602', async () => {
    await expect(read(join(work, 'missing'))).rejects.toThrow(fails(-32008));
    await expect(read(join(work, 'a.txt', 'below'))).rejects.toThrow(fails(-32008));
    await expect(read(join(work, 'x'.repeat(300)))).rejects.toThrow(fails(-32008));
    await expect(read(join(work, 'sub'))).rejects.toThrow(fails(-32602));
    await expect(read(work)).rejects.toThrow(/is a directory: only files can be read/);
    const policy = new PathPolicy({ privatePaths, workingDirectories: () => [work] });
    await expect(readFileResource('http://h/a', undefined, { policy })).rejects.toThrow(fails(-32602));
  });

  test('[RES-2] outside the working directories is -32009 with a remedy, for existing and missing files', async () => {
    for (const name of ['secret.txt', 'missing.txt']) {
      await expect(read(join(outside, name))).rejects.toMatchObject({
        code: -32009,
        message: expect.stringMatching(/begin a session in its folder, or attach its content to a message$/),
        data: {},
      });
    }
    await expect(read(join(base, 'work-2'))).rejects.toThrow(fails(-32009));
    await expect(read(base)).rejects.toThrow(fails(-32009));
    await expect(read('/etc/passwd')).rejects.toThrow(fails(-32009));
  });

  test('[RES-2] a link counts by its target, also a dangling one and one within the path', async () => {
    symlinkSync(join(outside, 'secret.txt'), join(work, 'link'));
    symlinkSync(outside, join(work, 'folder'));
    symlinkSync(join(outside, 'missing.txt'), join(work, 'dangling'));
    symlinkSync('../outside/missing.txt', join(work, 'relative'));
    symlinkSync('/dev/zero', join(work, 'zero'));
    symlinkSync(join(work, 'a.txt'), join(work, 'inner'));
    symlinkSync(join(work, 'a.txt'), join(outside, 'back'));
    symlinkSync('loop', join(work, 'loop'));
    for (const path of ['link', 'folder/secret.txt', 'folder/missing', 'dangling', 'relative', 'zero']) {
      await expect(read(join(work, path))).rejects.toThrow(fails(-32009));
    }
    expect(await read(join(work, 'inner'))).toMatchObject({ data: 'hello' });
    expect(await read(join(outside, 'back'))).toMatchObject({ data: 'hello' });
    await expect(read(join(work, 'loop'))).rejects.toThrow(fails(-32009));
  });

  test('[RES-2] a working directory that is a link covers its target', async () => {
    const alias = join(base, 'alias');
    symlinkSync(work, alias);
    const policy = new PathPolicy({ privatePaths, workingDirectories: () => [alias] });
    const result = await readFileResource(fileUriOf(join(work, 'a.txt')), undefined, { policy });
    expect(result).toMatchObject({ data: 'hello' });
    expect(await readFileResource(fileUriOf(join(alias, 'a.txt')), undefined, { policy })).toEqual(result);
  });

  test('[RES-2] working directories are checked at each read, and without any nothing is readable', async () => {
    let folders = [work];
    const policy = new PathPolicy({ privatePaths, workingDirectories: async () => folders });
    const uri = fileUriOf(join(work, 'a.txt'));
    expect(await readFileResource(uri, undefined, { policy })).toMatchObject({ data: 'hello' });
    folders = [];
    await expect(readFileResource(uri, undefined, { policy })).rejects.toThrow(fails(-32009));
  });

  test('[RES-2] a folder that becomes a link between the decision and the opening is not followed', async () => {
    mkdirSync(join(work, 'swapped'));
    writeFileSync(join(work, 'swapped', 'secret.txt'), 'harmless');
    const policy = new PathPolicy({
      privatePaths,
      workingDirectories: () => {
        renameSync(join(work, 'swapped'), join(work, 'moved'));
        symlinkSync(outside, join(work, 'swapped'));
        return [work];
      },
    });
    const uri = fileUriOf(join(work, 'swapped', 'secret.txt'));
    await expect(readFileResource(uri, undefined, { policy })).rejects.toThrow(fails(-32009));
  });

  test.skipIf(process.platform === 'win32')(
    '[RES-1] a fifo and a socket are refused at once, without a wait',
    async () => {
      spawnSync('mkfifo', [join(work, 'fifo')]);
      await expect(read(join(work, 'fifo'))).rejects.toThrow(/not a regular file/);
      const server = createServer();
      await new Promise<void>((resolve) => {
        server.listen(join(work, 'socket'), resolve);
      });
      await expect(read(join(work, 'socket'))).rejects.toThrow(fails(-32602));
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  );

  test('[RES-1] an error of the system names the URI that was sent, and no other path', () => {
    for (const [code, expected] of [
      ['EACCES', -32009],
      ['EMFILE', -32603],
      ['ENOENT', -32008],
      ['ENXIO', -32602],
    ] as const) {
      const error = toWireError(Object.assign(new Error('open /real/path'), { code }), 'file:///given');
      expect(error).toMatchObject({ name: 'WireError', code: expected });
      expect(String(error)).toContain('file:///given');
      expect(String(error)).not.toContain('/real/path');
    }
    const other = new TypeError('a fault');
    expect(toWireError(other, 'file:///given')).toBe(other);
  });
});

describe('a path', () => {
  test.each([
    ['/a/b', '/a', true],
    ['/a', '/a', true],
    ['/a', '/', true],
    ['/ab', '/a', false],
    ['/', '/a', false],
    ['/a/..b', '/a', true],
    ['/b', '/a', false],
    [join(process.cwd(), 'x'), process.cwd(), true],
  ])('[RES-2] %s within %s: %j', (path, folder, expected) => {
    expect(isWithin(path, folder)).toBe(expected);
  });
});

const OPEN = { privatePaths: [], log: silentLog, clock: systemClock };

describe('a working directory', () => {
  const check = (path: string, isAdmin = false) => {
    const workspace = createWorkspace({ roots: [work], defaultDirectory: outside, ...OPEN });
    return workspace.resolveDirectory(path.includes(':') ? path : fileUriOf(path), isAdmin);
  };

  test('[SESS-1] within the roots is accepted, elsewhere only from an admin', async () => {
    expect(await check(join(work, 'sub'))).toEqual({
      uri: fileUriOf(join(work, 'sub')),
      path: join(work, 'sub'),
    });
    await expect(check(outside)).rejects.toThrow(fails(-32009));
    expect(await check(outside, true)).toMatchObject({ path: outside });
  });

  test('[SESS-1] is checked for its scheme, then for being a directory, then for its place', async () => {
    for (const isAdmin of [false, true]) {
      await expect(check('http://h/missing', isAdmin)).rejects.toThrow(fails(-32602));
      await expect(check(join(outside, 'missing'), isAdmin)).rejects.toThrow(fails(-32008));
      await expect(check(join(outside, 'secret.txt'), isAdmin)).rejects.toThrow(fails(-32008));
      await expect(check(join(work, 'missing'), isAdmin)).rejects.toThrow(fails(-32008));
    }
  });

  test('[SESS-1] a link out of the roots is outside, one into them is inside', async () => {
    symlinkSync(outside, join(work, 'out'));
    symlinkSync(work, join(outside, 'in'));
    symlinkSync(join(work, 'missing'), join(work, 'dangling'));
    await expect(check(join(work, 'out'))).rejects.toThrow(fails(-32009));
    expect(await check(join(outside, 'in'))).toMatchObject({ path: join(outside, 'in') });
    await expect(check(join(work, 'dangling'))).rejects.toThrow(fails(-32008));
  });

  test('[SESS-1] without one it is the default directory, wherever the operator put it', async () => {
    const workspace = createWorkspace({ roots: [work], defaultDirectory: outside, ...OPEN });
    expect(workspace.defaultDirectory).toBe(fileUriOf(outside));
    expect(await workspace.resolveDirectory(undefined, false)).toEqual({
      uri: fileUriOf(outside),
      path: outside,
    });
    const gone = createWorkspace({ roots: [work], defaultDirectory: join(base, 'gone'), ...OPEN });
    await expect(gone.resolveDirectory(undefined, false)).rejects.toThrow(fails(-32008));
  });
});

test('[RES-1] a text whose JSON would be too long comes as base64', async () => {
  const control = Buffer.alloc(9 * 1024 * 1024, 1);
  const { data, encoding } = await encodeBytes(control, 'utf-8');
  expect(encoding).toBe('base64');
  expect(Buffer.from(data, 'base64').equals(control)).toBe(true);
  const plain = Buffer.alloc(9 * 1024 * 1024, 'a');
  expect((await encodeBytes(plain, undefined)).encoding).toBe('utf-8');
});
