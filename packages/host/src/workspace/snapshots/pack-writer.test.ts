import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type PackObject, PackWriter } from './pack-writer.ts';

function repository(format: 'sha1' | 'sha256') {
  const path = mkdtempSync(join(tmpdir(), 'packs-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  const git = (args: readonly string[], input = ''): Buffer =>
    execFileSync('git', args, { cwd: path, input, env: { PATH: process.env['PATH'], HOME: path } });
  git(['init', '-q', '--bare', `--object-format=${format}`]);
  const scratch = join(path, 'scratch');
  mkdirSync(scratch);
  const packs = join(path, 'objects', 'pack');
  return { git, packs, writer: new PackWriter({ objects: join(path, 'objects'), scratch, format }) };
}

const blobOf = (format: 'sha1' | 'sha256', content: Buffer): PackObject => {
  const id = createHash(format).update(`blob ${content.length}\0`).update(content).digest('hex');
  return { kind: 'blob', id, content };
};

test.each(['sha1', 'sha256'] as const)('git reads and verifies a pack with ids of %s', async (format) => {
  const { git, packs, writer } = repository(format);
  // Sizes around those where the head of an entry becomes longer.
  const sizes = [0, 1, 15, 16, 17, 2_047, 2_048, 2_049, 300_000];
  const contents = [
    ...sizes.map((size) => Buffer.alloc(size, `${size} `)),
    ...Array.from({ length: 500 }, (_, at) => Buffer.from(`content ${at}`)),
  ];
  const blobs = contents.map((content) => blobOf(format, content));
  const tree = Buffer.concat([Buffer.from('100644 a\0'), Buffer.from(blobs[3]?.id ?? '', 'hex')]);
  const id = createHash(format).update(`tree ${tree.length}\0`).update(tree).digest('hex');
  await writer.write([...blobs, { kind: 'tree', id, content: tree }]);
  const names = readdirSync(packs);
  expect(names.map((name) => name.split('.')[1])).toEqual(['idx', 'pack']);
  git(['verify-pack', join(packs, names[0] ?? '')]);
  git(['fsck', '--full', '--strict']);
  for (const [index, content] of contents.entries())
    if (index < 20) expect(git(['cat-file', 'blob', blobs[index]?.id ?? ''])).toEqual(content);
  expect(git(['ls-tree', id]).toString()).toBe(`100644 blob ${blobs[3]?.id}\ta\n`);
});

test('the same objects are written once, and count as new then', async () => {
  const { packs, writer } = repository('sha1');
  const blobs = ['x', 'y'].map((text) => blobOf('sha1', Buffer.from(text)));
  await writer.write(blobs);
  const names = readdirSync(packs);
  for (const name of names) utimesSync(join(packs, name), 1_000, 1_000);
  await writer.write(blobs.toReversed());
  expect(readdirSync(packs)).toEqual(names);
  for (const name of names) expect(statSync(join(packs, name)).mtimeMs).toBeGreaterThan(1_000_000);
});
