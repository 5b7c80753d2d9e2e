import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT_URI } from '@agenthost/protocol';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AccessPolicy, type AccessPolicyOptions } from '../access/access-policy.ts';
import { fileUriOf } from '../file-uri.ts';
import { PrivatePaths } from '../private-paths.ts';
import { Files } from './files.ts';
import { temporaryName } from './temporary-entry.ts';
import type { TreeLimits } from './tree.ts';

const person = { clientId: 'person', tokenHash: 'person', isAdmin: false };
const admin = { clientId: 'admin', tokenHash: 'admin', isAdmin: true };

let base: string;
let work: string;

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'agenthost-files-')));
  work = join(base, 'root', 'work');
  mkdirSync(join(work, 'sub'), { recursive: true });
  mkdirSync(join(base, 'outside'));
  mkdirSync(join(base, 'root', 'data'));
  writeFileSync(join(base, 'outside', 'secret.txt'), 'secret');
  writeFileSync(join(base, 'root', 'data', 'token'), 'token');
  writeFileSync(join(work, 'a.txt'), 'hello');
  symlinkSync(join(base, 'outside'), join(work, 'out'));
  symlinkSync('a.txt', join(work, 'to-a'));
});

afterEach(() => rmSync(base, { recursive: true, force: true }));

function filesWith(options: Partial<AccessPolicyOptions> = {}, limits: Partial<TreeLimits> = {}): Files {
  const policy = new AccessPolicy({
    roots: [join(base, 'root')],
    workingDirectories: async () => [work],
    privatePaths: new PrivatePaths([join(base, 'root', 'data')]),
    grants: { allows: () => false },
    ...options,
  });
  return new Files(policy, limits);
}

const at = (...names: string[]): string => fileUriOf(join(base, ...names));
const inWork = (...names: string[]): string => fileUriOf(join(work, ...names));
const textOf = (...names: string[]): string => readFileSync(join(work, ...names), 'utf8');
const fails = (code: number, message = '') =>
  expect.objectContaining({ name: 'WireError', code, message: expect.stringContaining(message) });
const write = (uri: string, data: string, more: object = {}, files = filesWith()) =>
  files.write({ uri, data, encoding: 'utf-8', ...more }, person);
/** Names in a folder that a failed or finished change must not leave. */
const leftovers = (folder = work): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.includes('.agenthost-'));

describe('writing', () => {
  test('[RES-1] creates and replaces files, as text and as bytes', async () => {
    await write(inWork('new.txt'), 'grüezi');
    expect(textOf('new.txt')).toBe('grüezi');
    await write(inWork('new.txt'), '');
    expect(textOf('new.txt')).toBe('');
    await filesWith().write({ uri: inWork('b'), data: 'AP+A', encoding: 'base64' }, person);
    expect(readFileSync(join(work, 'b'))).toEqual(Buffer.from([0, 255, 128]));
    expect(leftovers()).toEqual([]);
  });

  test.each([
    ['truncate', 2, 'heX'],
    ['truncate', 5, 'helloX'],
    ['append', 0, 'helloX'],
    ['append', 2, 'helXlo'],
    ['append', 5, 'Xhello'],
    ['insert', 0, 'Xhello'],
    ['insert', 2, 'heXllo'],
    ['insert', 5, 'helloX'],
  ] as const)('[RES-1] %s at %i of "hello" gives %s', async (mode, position, expected) => {
    await write(inWork('a.txt'), 'X', { mode, position });
    expect(textOf('a.txt')).toBe(expected);
  });

  test('[RES-1] a position beyond the end is refused, and nothing is written', async () => {
    for (const mode of ['truncate', 'append', 'insert'])
      await expect(write(inWork('a.txt'), 'X', { mode, position: 6 })).rejects.toEqual(
        fails(-32602, 'at most 5'),
      );
    await expect(write(inWork('none'), 'X', { mode: 'append', position: 1 })).rejects.toEqual(fails(-32602));
    expect([textOf('a.txt'), existsSync(join(work, 'none'))]).toEqual(['hello', false]);
  });

  test('[RES-1] createOnly refuses an existing file', async () => {
    await expect(write(inWork('a.txt'), 'X', { createOnly: true })).rejects.toEqual(fails(-32010));
    await expect(write(inWork('to-a'), 'X', { createOnly: true })).rejects.toEqual(fails(-32010));
    await write(inWork('new'), 'X', { createOnly: true });
    expect([textOf('a.txt'), textOf('new')]).toEqual(['hello', 'X']);
  });

  test('[RES-1] of two clients that create the same file, one gets it', async () => {
    const files = filesWith();
    const other = filesWith();
    const outcomes = await Promise.allSettled(
      [files, files, other, other].map((each, index) =>
        write(inWork('new'), `content ${index}`, { createOnly: true }, each),
      ),
    );
    const won = outcomes.findIndex(({ status }) => status === 'fulfilled');
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(textOf('new')).toBe(`content ${won}`);
    expect(leftovers()).toEqual([]);
  });

  test('[RES-1] ifMatch writes only what has not changed; of two writers with one etag one wins', async () => {
    const files = filesWith();
    const { etag } = await files.resolve({ uri: inWork('a.txt') }, person);
    const outcomes = await Promise.allSettled(
      ['one', 'two'].map((data) => write(inWork('a.txt'), data, { ifMatch: etag }, files)),
    );
    const won = outcomes.findIndex(({ status }) => status === 'fulfilled');
    expect(outcomes[1 - won]).toMatchObject({ reason: fails(-32011) });
    expect(textOf('a.txt')).toBe(['one', 'two'][won]);
    const written = outcomes[won];
    const next = written?.status === 'fulfilled' ? written.value['x-etag'] : undefined;
    expect(next).toBe((await files.resolve({ uri: inWork('a.txt') }, person)).etag);
    await write(inWork('a.txt'), 'three', { ifMatch: next }, files);
    expect(textOf('a.txt')).toBe('three');
    await expect(write(inWork('none'), 'x', { ifMatch: next }, files)).rejects.toEqual(fails(-32011));
    expect(existsSync(join(work, 'none'))).toBe(false);
  });

  test('[RES-1] a missing parent is -32008, a folder or a pipe -32602', async () => {
    await expect(write(inWork('none', 'x'), '')).rejects.toEqual(fails(-32008, 'folder'));
    await expect(write(inWork('a.txt', 'x'), '')).rejects.toEqual(fails(-32008));
    await expect(write(inWork('sub'), '')).rejects.toEqual(fails(-32602, 'directory'));
    spawnSync('mkfifo', [join(work, 'pipe')]);
    await expect(write(inWork('pipe'), '')).rejects.toEqual(fails(-32602, 'regular'));
    expect(lstatSync(join(work, 'pipe')).isFIFO()).toBe(true);
  });

  test('[RES-1] data that is not what its encoding says is refused', async () => {
    const files = filesWith();
    for (const data of ['A', 'AB CD', 'AB\nCD', 'A===', 'ä'])
      await expect(
        files.write({ uri: inWork('a.txt'), data, encoding: 'base64' }, person),
        data,
      ).rejects.toEqual(fails(-32602, 'base64'));
    await expect(write(inWork('a.txt'), 'half \ud800')).rejects.toEqual(fails(-32602, 'surrogate'));
    expect(textOf('a.txt')).toBe('hello');
  });

  test('[RES-3] a link is followed and stays, and mode and owner of the target are kept', async () => {
    chmodSync(join(work, 'a.txt'), 0o640);
    const { ino } = statSync(join(work, 'a.txt'));
    await write(inWork('to-a'), 'new');
    expect(lstatSync(join(work, 'to-a')).isSymbolicLink()).toBe(true);
    expect(textOf('a.txt')).toBe('new');
    const after = statSync(join(work, 'a.txt'));
    expect([after.mode & 0o777, after.ino === ino]).toEqual([0o640, false]);
  });

  test('[RES-3] a reader that has the file open keeps the old content', async () => {
    const { open } = await import('node:fs/promises');
    const file = await open(join(work, 'a.txt'));
    await write(inWork('a.txt'), 'new');
    expect(await file.readFile('utf8')).toBe('hello');
    await file.close();
  });

  test('[RES-3] what a killed host has left is removed by the next write of the file', async () => {
    const left = join(work, temporaryName('a.txt'));
    writeFileSync(left, 'half a fi');
    utimesSync(left, new Date(0), new Date(0));
    await write(inWork('a.txt'), 'new');
    expect(leftovers()).toEqual([]);
    // A fresh one belongs to a writer that still works.
    writeFileSync(left, 'half a fi');
    await write(inWork('a.txt'), 'newer');
    expect([textOf('a.txt'), readFileSync(left, 'utf8')]).toEqual(['newer', 'half a fi']);
  });

  test('[RES-3] what others append during a write is not lost', async () => {
    const { appendFile } = await import('node:fs/promises');
    writeFileSync(join(work, 'log'), 'x'.repeat(4_000_000));
    const files = filesWith();
    const [written] = await Promise.allSettled([
      write(inWork('log'), 'ours', { mode: 'append' }, files),
      appendFile(join(work, 'log'), 'theirs'),
    ]);
    const text = textOf('log').slice(4_000_000);
    expect(text).toContain('theirs');
    expect(text.includes('ours')).toBe(written?.status === 'fulfilled');
  });

  test('[RES-1] the kept part of a file is limited', async () => {
    spawnSync('truncate', ['-s', String(300 * 1024 * 1024), join(work, 'huge')]);
    await expect(write(inWork('huge'), 'X', { mode: 'append' })).rejects.toEqual(fails(-32602, 'bytes'));
    await write(inWork('huge'), 'X');
    expect(textOf('huge')).toBe('X');
  });
});

describe('the path policy', () => {
  const wanted = { channel: ROOT_URI, uri: '' };

  test('[RES-2] reading and writing end at the working directories, and a refusal has the request that would unlock it', async () => {
    const files = filesWith();
    for (const asker of [person, admin]) {
      for (const uri of [at('outside', 'secret.txt'), inWork('out', 'secret.txt'), at('root', 'none')]) {
        await expect(files.read({ uri }, asker), uri).rejects.toMatchObject({
          code: -32009,
          data: { request: { ...wanted, uri, read: true } },
        });
        await expect(files.write({ uri, data: '', encoding: 'utf-8' }, asker), uri).rejects.toMatchObject({
          code: -32009,
          data: { request: { ...wanted, uri, write: true } },
        });
        await expect(files.remove({ uri }, asker), uri).rejects.toMatchObject({ code: -32009 });
        await expect(files.move({ source: uri, destination: inWork('x') }, asker), uri).rejects.toMatchObject(
          {
            code: -32009,
            data: { request: { ...wanted, uri, read: true, write: true } },
          },
        );
        await expect(files.copy({ source: uri, destination: inWork('x') }, asker), uri).rejects.toMatchObject(
          {
            code: -32009,
          },
        );
        for (const method of ['copy', 'move'] as const)
          await expect(
            files[method]({ source: inWork('a.txt'), destination: uri }, asker),
            uri,
          ).rejects.toMatchObject({ code: -32009, data: { request: { ...wanted, uri, write: true } } });
      }
    }
    expect(readFileSync(join(base, 'outside', 'secret.txt'), 'utf8')).toBe('secret');
    expect(textOf('a.txt')).toBe('hello');
  });

  test('[RES-2] a dangling link out is not written through', async () => {
    symlinkSync(join(base, 'outside', 'new'), join(work, 'dangling'));
    await expect(write(inWork('dangling'), 'x')).rejects.toEqual(fails(-32009));
    expect(existsSync(join(base, 'outside', 'new'))).toBe(false);
  });

  test('[RES-2] resolving is allowed within the roots, and for admins everywhere', async () => {
    const files = filesWith();
    expect(await files.resolve({ uri: at('root') }, person)).toMatchObject({ type: 'directory' });
    await expect(files.resolve({ uri: at('outside', 'secret.txt') }, person)).rejects.toEqual(fails(-32009));
    await expect(files.resolve({ uri: inWork('out', 'secret.txt') }, person)).rejects.toEqual(fails(-32009));
    expect(await files.resolve({ uri: at('outside', 'secret.txt') }, admin)).toMatchObject({ size: 6 });
  });

  test('[RES-2] private files of the host can be neither reached nor carried away', async () => {
    linkSync(join(base, 'root', 'data', 'token'), join(work, 'sub', 'alias'));
    const files = filesWith({ workingDirectories: async () => [base], roots: [base] });
    const token = at('root', 'data', 'token');
    await expect(files.read({ uri: token }, admin)).rejects.toEqual(fails(-32009));
    await expect(write(token, 'x', {}, files)).rejects.toEqual(fails(-32009));
    await expect(write(inWork('sub', 'alias'), 'x', {}, files)).rejects.toEqual(fails(-32009));
    await expect(files.resolve({ uri: token }, admin)).rejects.toEqual(fails(-32009));
    for (const source of [token, at('root'), inWork('sub'), inWork('sub', 'alias')])
      await expect(files.copy({ source, destination: at('copy') }, admin), source).rejects.toEqual(
        fails(-32009),
      );
    for (const source of [token, at('root'), at('root', 'data')]) {
      await expect(files.move({ source, destination: at('moved') }, admin), source).rejects.toEqual(
        fails(-32009),
      );
      await expect(files.remove({ uri: source, recursive: true }, admin), source).rejects.toEqual(
        fails(-32009),
      );
    }
    expect(readFileSync(join(base, 'root', 'data', 'token'), 'utf8')).toBe('token');
    expect(readdirSync(base).toSorted()).toEqual(['outside', 'root']);
  });

  test('[RES-2] folders of the operator can be read, or read and written', async () => {
    writeFileSync(join(base, 'root', 'shared.txt'), 'shared');
    const readable = filesWith({ readable: [join(base, 'root')] });
    expect(await readable.read({ uri: at('root', 'shared.txt') }, person)).toMatchObject({ data: 'shared' });
    await expect(write(at('root', 'shared.txt'), 'x', {}, readable)).rejects.toEqual(fails(-32009));
    await write(at('root', 'shared.txt'), 'x', {}, filesWith({ writable: [join(base, 'root')] }));
    expect(readFileSync(join(base, 'root', 'shared.txt'), 'utf8')).toBe('x');
  });

  test('[RES-2] a folder on the way that becomes a link between check and use leads nowhere', async () => {
    const folder = join(work, 'sub');
    writeFileSync(join(folder, 'secret.txt'), 'inside');
    const privatePaths = new PrivatePaths([]);
    /** Swaps the folder when the path has been checked. */
    const files = filesWith({
      privatePaths: {
        look: () => privatePaths.look(),
        covers: async (path) => {
          const isPrivate = await privatePaths.covers(path);
          if (lstatSync(folder).isDirectory()) {
            renameSync(folder, `${folder}.old`);
            symlinkSync(join(base, 'outside'), folder);
          }
          return isPrivate;
        },
      },
    });
    const uri = inWork('sub', 'secret.txt');
    const back = (): void => {
      rmSync(folder, { force: true });
      renameSync(`${folder}.old`, folder);
    };
    for (const change of [
      () => files.read({ uri }, person),
      () => files.resolve({ uri }, person),
      () => write(uri, 'changed', {}, files),
      () => write(inWork('sub', 'new'), 'new', {}, files),
      () => files.remove({ uri }, person),
      () => files.move({ source: uri, destination: inWork('stolen') }, person),
      () => files.copy({ source: uri, destination: inWork('stolen') }, person),
      () => files.copy({ source: inWork('a.txt'), destination: inWork('sub', 'b') }, person),
    ]) {
      await expect(change(), String(change)).rejects.toEqual(fails(-32009));
      expect(readdirSync(join(base, 'outside'))).toEqual(['secret.txt']);
      expect(readFileSync(join(base, 'outside', 'secret.txt'), 'utf8')).toBe('secret');
      back();
    }
    expect(existsSync(join(work, 'stolen'))).toBe(false);
  });
});

describe('resolving', () => {
  test('[RES-1] gives the real place, the facts and an etag that changes with the content', async () => {
    const files = filesWith();
    const found = await files.resolve({ uri: inWork('to-a') }, person);
    expect(found).toMatchObject({ uri: inWork('a.txt'), type: 'file', size: 5, contentType: 'text/plain' });
    expect(Date.parse(found.mtime ?? '')).toBeGreaterThan(0);
    writeFileSync(join(work, 'a.txt'), 'HELLO');
    expect((await files.resolve({ uri: inWork('a.txt') }, person)).etag).not.toBe(found.etag);
    const link = await files.resolve({ uri: inWork('out'), followSymlinks: false }, person);
    expect(link).toMatchObject({ uri: inWork('out'), type: 'symlink' });
    expect(link).not.toHaveProperty('size');
    await expect(files.resolve({ uri: inWork('none') }, person)).rejects.toEqual(fails(-32008));
    expect(await files.resolve({ uri: 'file:///' }, admin)).toMatchObject({ type: 'directory' });
  });
});

describe('deleting', () => {
  test('[RES-1] a folder with content needs recursive; links are deleted, not followed', async () => {
    const files = filesWith();
    mkdirSync(join(work, 'sub', 'deep'));
    writeFileSync(join(work, 'sub', 'deep', 'x'), '');
    symlinkSync(join(base, 'outside'), join(work, 'sub', 'deep', 'out'));
    await expect(files.remove({ uri: inWork('sub') }, person)).rejects.toEqual(fails(-32011, 'recursive'));
    await files.remove({ uri: inWork('sub'), recursive: true }, person);
    await files.remove({ uri: inWork('out') }, person);
    await files.remove({ uri: inWork('a.txt') }, person);
    expect(readdirSync(work)).toEqual(['to-a']);
    expect(readFileSync(join(base, 'outside', 'secret.txt'), 'utf8')).toBe('secret');
    await expect(files.remove({ uri: inWork('a.txt') }, person)).rejects.toEqual(fails(-32008));
    mkdirSync(join(work, 'empty'));
    await files.remove({ uri: inWork('empty') }, person);
  });

  test('[RES-2] a folder that a session works in stays', async () => {
    const files = filesWith({ workingDirectories: async () => [join(base, 'root'), join(work, 'sub')] });
    for (const uri of [inWork('sub'), at('root', 'work'), at('root', 'work', '')])
      await expect(files.remove({ uri, recursive: true }, person), uri).rejects.toEqual(
        fails(-32011, 'session'),
      );
    await expect(
      files.move({ source: at('root', 'work'), destination: at('root', 'moved') }, person),
    ).rejects.toEqual(fails(-32011, 'session'));
    expect(existsSync(join(work, 'sub'))).toBe(true);
  });

  test('[RES-1] a tree that is too large is left as it is', async () => {
    for (let index = 0; index < 5; index += 1)
      mkdirSync(join(work, 'sub', `${index}`, 'deep'), { recursive: true });
    const limited = (limits: Partial<TreeLimits>) =>
      filesWith({}, limits).remove({ uri: inWork('sub'), recursive: true }, person);
    await expect(limited({ maxEntries: 9 })).rejects.toEqual(fails(-32602, 'entries'));
    await expect(limited({ maxDepth: 1 })).rejects.toEqual(fails(-32602, 'deeper'));
    expect(readdirSync(join(work, 'sub'), { recursive: true })).toHaveLength(10);
    await limited({ maxEntries: 10, maxDepth: 3 });
    expect(existsSync(join(work, 'sub'))).toBe(false);
  });
});

describe('copying and moving', () => {
  test.each(['copy', 'move'] as const)(
    '[RES-1] %s replaces a file, and with failIfExists refuses it',
    async (method) => {
      const files = filesWith();
      writeFileSync(join(work, 'b'), 'old');
      chmodSync(join(work, 'a.txt'), 0o750);
      const params = { source: inWork('a.txt'), destination: inWork('b') };
      await expect(files[method]({ ...params, failIfExists: true }, person)).rejects.toEqual(fails(-32010));
      expect(textOf('b')).toBe('old');
      await files[method](params, person);
      expect(textOf('b')).toBe('hello');
      expect(statSync(join(work, 'b')).mode & 0o777).toBe(0o750);
      expect(existsSync(join(work, 'a.txt'))).toBe(method === 'copy');
      await files[method]({ source: inWork('b'), destination: inWork('c'), failIfExists: true }, person);
      expect(textOf('c')).toBe('hello');
      expect(leftovers()).toEqual([]);
    },
  );

  test.each(['copy', 'move'] as const)(
    '[RES-1] %s takes a folder with everything below it',
    async (method) => {
      const files = filesWith();
      mkdirSync(join(work, 'sub', 'deep'), { mode: 0o750 });
      writeFileSync(join(work, 'sub', 'deep', 'x.sh'), 'x', { mode: 0o755 });
      symlinkSync('deep/x.sh', join(work, 'sub', 'link'));
      await files[method]({ source: inWork('sub'), destination: inWork('other') }, person);
      expect(textOf('other', 'link')).toBe('x');
      expect(lstatSync(join(work, 'other', 'link')).isSymbolicLink()).toBe(true);
      expect(statSync(join(work, 'other', 'deep')).mode & 0o777).toBe(0o750);
      expect(statSync(join(work, 'other', 'deep', 'x.sh')).mode & 0o777).toBe(0o755);
      expect(existsSync(join(work, 'sub'))).toBe(method === 'copy');
      expect(leftovers()).toEqual([]);
    },
  );

  test.each(['copy', 'move'] as const)('[RES-1] %s refuses what would lose something', async (method) => {
    const files = filesWith();
    mkdirSync(join(work, 'full', 'in'), { recursive: true });
    const run = (source: string, destination: string) =>
      files[method]({ source: inWork(source), destination: inWork(destination) }, person);
    await expect(run('sub', 'full')).rejects.toEqual(fails(-32011));
    await expect(run('a.txt', 'sub')).rejects.toEqual(fails(-32011));
    await expect(run('sub', 'a.txt')).rejects.toEqual(fails(-32011));
    await expect(run('sub', 'sub/in')).rejects.toEqual(fails(-32602));
    await expect(run('full/in', 'full')).rejects.toEqual(fails(-32011));
    await expect(run('none', 'x')).rejects.toEqual(fails(-32008, 'none'));
    await expect(run('a.txt', 'none/x')).rejects.toEqual(fails(-32008, 'none'));
    expect([textOf('a.txt'), readdirSync(join(work, 'full'))]).toEqual(['hello', ['in']]);
    expect(leftovers()).toEqual([]);
  });

  test('[RES-1] move takes a link itself, and copy the target of a link', async () => {
    const files = filesWith();
    await files.copy({ source: inWork('to-a'), destination: inWork('copied') }, person);
    await files.move({ source: inWork('to-a'), destination: inWork('moved') }, person);
    expect(lstatSync(join(work, 'copied')).isFile()).toBe(true);
    expect(lstatSync(join(work, 'moved')).isSymbolicLink()).toBe(true);
    expect(existsSync(join(work, 'to-a'))).toBe(false);
    await files.move({ source: inWork('copied'), destination: inWork('copied') }, person);
    expect(textOf('copied')).toBe('hello');
  });

  test('[RES-1] a copy that fails halfway leaves nothing', async () => {
    const files = filesWith();
    writeFileSync(join(work, 'sub', 'a'), 'a');
    spawnSync('mkfifo', [join(work, 'sub', 'pipe')]);
    await expect(files.copy({ source: inWork('sub'), destination: inWork('other') }, person)).rejects.toEqual(
      fails(-32602, 'pipe'),
    );
    expect(readdirSync(work).toSorted()).toEqual(['a.txt', 'out', 'sub', 'to-a']);
    await expect(
      filesWith({}, { maxBytes: 4 }).copy({ source: inWork('a.txt'), destination: inWork('b') }, person),
    ).rejects.toEqual(fails(-32602, 'bytes'));
  });
});
