import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defined } from '@agenthost/protocol/values';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AccessPolicy, type AccessPolicyOptions } from './access/access-policy.ts';
import { fileUriOf } from './file-uri.ts';
import { Folders, type FoldersOptions } from './folders.ts';
import { PrivatePaths } from './private-paths.ts';

let base: string;
let root: string;

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'agenthost-folders-')));
  root = join(base, 'root');
  for (const folder of [
    'root/src',
    'root/.git',
    'root/Build 10',
    'root/build 9',
    'outside/deep',
    'root/data',
  ])
    mkdirSync(join(base, folder), { recursive: true });
  for (const file of ['root/a.txt', 'root/Z.txt', 'root/data/secret', 'outside/secret.txt'])
    writeFileSync(join(base, file), 'x');
});

afterEach(() => {
  chmodSync(root, 0o700);
  rmSync(base, { recursive: true, force: true });
});

const person = { clientId: 'person', tokenHash: 'person', isAdmin: false };
const admin = { clientId: 'admin', tokenHash: 'admin', isAdmin: true };

function folders({
  maxEntries,
  defaultDirectory = fileUriOf(root),
  ...options
}: Partial<AccessPolicyOptions & Omit<FoldersOptions, 'policy'>> = {}): Folders {
  const policy = new AccessPolicy({
    roots: [root],
    workingDirectories: async () => [],
    privatePaths: new PrivatePaths([join(root, 'data')]),
    grants: { allows: () => false },
    ...options,
  });
  return new Folders({ policy, defaultDirectory, ...defined({ maxEntries }) });
}

const at = (...names: string[]): string => fileUriOf(join(base, ...names));
const fails = (code: number, data: object = {}) =>
  expect.objectContaining({
    name: 'WireError',
    code,
    ...(Object.keys(data).length === 0 ? {} : { data: expect.objectContaining(data) }),
  });

async function names(uri: string, isAdmin = false, given = folders()): Promise<string[]> {
  return (await given.list(uri, isAdmin ? admin : person)).entries.map(({ name, type }) =>
    type === 'file' ? name : `${name}/`,
  );
}

describe('listing', () => {
  test('[RES-1] lists folders first, each kind by name, hidden ones included', async () => {
    expect(await folders().list(at('root'), person)).toStrictEqual({
      entries: [
        { name: '.git', type: 'directory' },
        { name: 'build 9', type: 'directory' },
        { name: 'Build 10', type: 'directory' },
        { name: 'data', type: 'directory' },
        { name: 'src', type: 'directory' },
        { name: 'a.txt', type: 'file' },
        { name: 'Z.txt', type: 'file' },
      ],
      'x-uri': at('root'),
    });
  });

  test('[RES-1] an empty URI lists the default directory, also outside of the roots', async () => {
    const given = folders({ defaultDirectory: at('outside') });
    expect(await given.list('', person)).toStrictEqual({
      entries: [
        { name: 'deep', type: 'directory' },
        { name: 'secret.txt', type: 'file' },
      ],
      'x-uri': at('outside'),
    });
    await expect(given.list(at('outside'), person)).rejects.toEqual(fails(-32009));
  });

  test('[RES-1] a file, an invalid URI and a missing folder have codes of their own', async () => {
    await expect(folders().list(at('root', 'a.txt'), person)).rejects.toEqual(fails(-32602));
    await expect(folders().list('ahp-session:/one', person)).rejects.toEqual(fails(-32602));
    await expect(folders().list(`${at('root')}/%2e%2e%2foutside`, person)).rejects.toEqual(fails(-32602));
    await expect(folders().list(at('root', 'none', 'deep'), person)).rejects.toEqual(
      fails(-32008, { 'x-refusal': { kind: 'folder', uri: at('root', 'none', 'deep'), reason: 'missing' } }),
    );
    const pipe = join(root, 'pipe');
    spawnSync('mkfifo', [pipe]);
    await expect(folders().list(fileUriOf(pipe), person)).rejects.toEqual(fails(-32602));
  });

  test('[RES-1] entries beyond the limit are left out, files first', async () => {
    const listed = await folders({ maxEntries: 5 }).list(at('root'), person);
    expect(listed.entries.map(({ name }) => name)).toEqual(['.git', 'build 9', 'Build 10', 'data', 'src']);
    expect(listed['x-more']).toBe(true);
    expect(await folders({ maxEntries: 7 }).list(at('root'), person)).not.toHaveProperty('x-more');
  });

  test('[RES-2] outside of roots and working directories is refused, with the request for access, whether it exists or not', async () => {
    for (const uri of [at('outside'), at('outside', 'none'), at(), 'file:///', `${at('root')}/../outside`]) {
      await expect(folders().list(uri, person), uri).rejects.toEqual(
        fails(-32009, {
          request: { channel: 'ahp-root://', uri, read: true },
          'x-refusal': { kind: 'folder', uri, reason: 'outside', roots: [root] },
        }),
      );
    }
    const working = folders({ workingDirectories: async () => [join(base, 'outside')] });
    expect(await names(at('outside'), false, working)).toEqual(['deep/', 'secret.txt']);
  });

  test('[RES-2] an admin lists any folder but private ones', async () => {
    expect(await names(at('outside'), true)).toEqual(['deep/', 'secret.txt']);
    await expect(folders().list(at('none'), admin)).rejects.toEqual(fails(-32008));
    for (const asker of [admin, person])
      await expect(folders().list(at('root', 'data'), asker)).rejects.toEqual(
        fails(-32009, { 'x-refusal': { kind: 'folder', uri: at('root', 'data'), reason: 'private' } }),
      );
    await expect(folders({ defaultDirectory: at('root', 'data') }).list('', admin)).rejects.toEqual(
      fails(-32009),
    );
  });

  test('[RES-2] links are decided by where they lead', async () => {
    symlinkSync(join(base, 'outside'), join(root, 'out'));
    symlinkSync(join(root, 'data'), join(root, 'own'));
    symlinkSync(join(root, 'src'), join(root, 'in'));
    symlinkSync(join(root, 'loop'), join(root, 'loop'));
    symlinkSync(join(root, 'none'), join(root, 'dangling'));
    symlinkSync(root, join(base, 'way'));
    await expect(folders().list(at('root', 'out'), person)).rejects.toEqual(fails(-32009));
    await expect(folders().list(at('root', 'out', 'deep'), person)).rejects.toEqual(fails(-32009));
    await expect(folders().list(at('root', 'own'), admin)).rejects.toEqual(fails(-32009));
    await expect(folders().list(at('root', 'loop'), person)).rejects.toEqual(fails(-32009));
    await expect(folders().list(at('root', 'dangling'), person)).rejects.toEqual(fails(-32008));
    expect(await names(at('root', 'in'))).toEqual([]);
    expect(await names(at('way', 'src'))).toEqual([]);
    const links = (await folders().list(at('root'), person)).entries.filter((entry) => entry['x-isLink']);
    expect(links.map(({ name, type }) => [name, type])).toEqual([
      ['in', 'directory'],
      ['out', 'directory'],
      ['own', 'directory'],
      ['dangling', 'file'],
      ['loop', 'file'],
    ]);
  });

  test('[RES-2] a folder that the system does not let in is refused', async () => {
    chmodSync(join(root, 'src'), 0o000);
    const answer = await folders()
      .list(at('root', 'src'), admin)
      .then(
        () => 'listed',
        (fault: unknown) => fault,
      );
    chmodSync(join(root, 'src'), 0o700);
    // Root may enter every folder.
    expect(answer).toEqual(process.getuid?.() === 0 ? 'listed' : fails(-32009));
  });

  test('[RES-2] a folder that becomes a link while it is checked is not followed', async () => {
    const swapping = folders({
      workingDirectories: async () => {
        renameSync(join(root, 'src'), join(root, 'was'));
        symlinkSync(join(base, 'outside'), join(root, 'src'));
        return [];
      },
    });
    await expect(swapping.list(at('root', 'src'), person)).rejects.toEqual(fails(-32009));
  });
});

describe('making', () => {
  test('[RES-1] makes a folder and the missing ones above it; an existing one is no error', async () => {
    await folders().make(at('root', 'new', 'deep er'), person);
    await folders().make(at('root', 'new', 'deep er'), person);
    expect(await names(at('root', 'new'))).toEqual(['deep er/']);
  });

  test('[RES-1] a file in the place of the folder, or above it, is answered with -32010', async () => {
    await expect(folders().make(at('root', 'a.txt'), person)).rejects.toEqual(fails(-32010));
    await expect(folders().make(at('root', 'a.txt', 'sub'), person)).rejects.toEqual(fails(-32010));
    await expect(folders().make('', person)).rejects.toEqual(fails(-32602));
  });

  test('[RES-2] nothing is made outside, behind a link that leads there, or in private folders', async () => {
    symlinkSync(join(base, 'outside'), join(root, 'out'));
    symlinkSync(join(base, 'elsewhere'), join(root, 'dangling'));
    for (const uri of [
      at('outside', 'new'),
      at('root', 'out', 'new'),
      at('root', 'dangling'),
      at('root', 'dangling', 'new'),
      `${at('root')}/../new`,
    ]) {
      await expect(folders().make(uri, person), uri).rejects.toEqual(
        fails(-32009, { request: { channel: 'ahp-root://', uri, write: true } }),
      );
    }
    await expect(folders().make(at('root', 'data', 'new'), admin)).rejects.toEqual(fails(-32009));
    for (const path of ['outside/new', 'elsewhere', 'new', 'root/data/new'])
      expect(existsSync(join(base, path)), path).toBe(false);
    await folders().make(at('outside', 'new'), admin);
    expect(existsSync(join(base, 'outside', 'new'))).toBe(true);
  });

  test('[RES-2] nothing is made behind a folder that becomes a link while it is checked', async () => {
    const swapping = folders({
      workingDirectories: async () => {
        renameSync(join(root, 'src'), join(root, 'was'));
        symlinkSync(join(base, 'outside'), join(root, 'src'));
        return [];
      },
    });
    await expect(swapping.make(at('root', 'src', 'new'), person)).rejects.toEqual(fails(-32009));
    expect(existsSync(join(base, 'outside', 'new'))).toBe(false);
  });
});
