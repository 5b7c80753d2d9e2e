import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  type Stats,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';

/** A file of the model. `mode` as in a store; `hex`: its bytes, or the target of a link. */
export interface ModelFile {
  readonly mode: '100644' | '100755' | '120000';
  readonly hex: string;
}

/** All files of a tree by path. Folders exist only as parts of paths. */
export type TreeState = ReadonlyMap<string, ModelFile>;

/** One edit. It does whatever it takes: what is in its way is removed. */
export type Edit =
  | { readonly kind: 'write'; readonly path: string; readonly bytes: Uint8Array; readonly isAtomic: boolean }
  | { readonly kind: 'line'; readonly path: string; readonly at: number; readonly text: string }
  | { readonly kind: 'link'; readonly path: string; readonly target: string }
  | { readonly kind: 'delete'; readonly path: string }
  | { readonly kind: 'rename'; readonly path: string; readonly to: string }
  | { readonly kind: 'chmod'; readonly path: string; readonly isExecutable: boolean };

const PATHS = [
  ...['a', 'b.txt', 'run.sh', 'deep/er/file', 'deep/er', 'deep/other', 'deep', '.hidden/x', 'src/index.ts'],
  ...[
    'with space',
    ' lead',
    'trail ',
    '-dash',
    ':colon',
    '*.txt',
    '[a]',
    '!neg',
    '#hash',
    '"quoted"',
    "it's",
  ],
  ...['new\nline', 'tab\tname', 'back\\slash', 'h\u00e9', 'he\u0301', '\u{1f600}', 'CON', '~', 'a.lock'],
];

const bytesOf = (text: string, encoding: BufferEncoding = 'utf8'): Uint8Array => Buffer.from(text, encoding);

const lines = fc
  .array(fc.constantFrom('', 'one', 'two', 'three', '\ttab', '}', '<<<<<<< x', '=======', 'h\u00e9'), {
    maxLength: 12,
  })
  .chain((all) =>
    fc
      .tuple(fc.constantFrom('\n', '\r\n', '\r'), fc.boolean())
      .map(([end, isEnded]) => `${all.join(end)}${isEnded ? end : ''}`),
  );

const content: fc.Arbitrary<Uint8Array> = fc.oneof(
  { weight: 4, arbitrary: lines.map((text) => bytesOf(text)) },
  lines.map((text) => bytesOf(`\ufeff${text}`)),
  lines.map((text) => bytesOf(`\ufeff${text}`, 'utf16le')),
  lines.map((text) => Buffer.concat([bytesOf(text), Buffer.from([0xff, 0xfe, 0x80]), bytesOf(text)])),
  fc.uint8Array({ maxLength: 40 }),
  fc.constant(new Uint8Array()),
  fc.constant(bytesOf('version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n')),
);

const path = fc.constantFrom(...PATHS);

export const edits: fc.Arbitrary<Edit[]> = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant('write' as const),
        path,
        bytes: content,
        isAtomic: fc.boolean(),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant('line' as const),
        path,
        at: fc.nat(12),
        text: fc.constantFrom('x', 'yy', '', 'one'),
      }),
    },
    fc.record({
      kind: fc.constant('link' as const),
      path,
      target: fc.constantFrom('a', 'nowhere', '.', '..', 'src', '/nonexistent', 'h\u00e9'),
    }),
    fc.record({ kind: fc.constant('delete' as const), path }),
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('rename' as const), path, to: path }) },
    fc.record({ kind: fc.constant('chmod' as const), path, isExecutable: fc.boolean() }),
  ),
  { maxLength: 6 },
);

/** The files below a folder. The `.git` folder of the root is left out. */
export function treeAt(root: string): TreeState {
  const found = new Map<string, ModelFile>();
  const walk = (folder: string): void => {
    for (const name of readdirSync(join(root, folder))) {
      const at = folder === '' ? name : `${folder}/${name}`;
      const full = join(root, at);
      const stats = lstatSync(full);
      if (stats.isDirectory()) {
        if (at !== '.git') walk(at);
      } else if (stats.isSymbolicLink())
        found.set(at, { mode: '120000', hex: readlinkSync(full, { encoding: 'buffer' }).toString('hex') });
      else
        found.set(at, {
          mode: (stats.mode & 0o100) === 0 ? '100644' : '100755',
          hex: readFileSync(full).toString('hex'),
        });
    }
  };
  walk('');
  return found;
}

/** Carries out an edit below a folder. */
export function carryOutEdit(root: string, edit: Edit): void {
  const full = join(root, edit.path);
  const present = kindAt(full);
  switch (edit.kind) {
    case 'write':
      if (!edit.isAtomic) {
        clear(root, edit.path, 'file');
        writeFileSync(full, edit.bytes);
        return;
      }
      clear(root, edit.path);
      writeFileSync(`${full}.tmp`, edit.bytes);
      renameSync(`${full}.tmp`, full);
      return;
    case 'line': {
      if (present !== 'file' || isBehindLink(root, edit.path)) return;
      const all = readFileSync(full, 'latin1').split('\n');
      all.splice(Math.min(edit.at, all.length), edit.at % 3 === 0 ? 0 : 1, edit.text);
      writeFileSync(full, all.join('\n'), 'latin1');
      return;
    }
    case 'link':
      clear(root, edit.path);
      symlinkSync(edit.target, full);
      return;
    case 'delete':
      if (present !== undefined && !isBehindLink(root, edit.path))
        rmSync(full, { recursive: true, force: true });
      return;
    case 'rename':
      if (present === undefined || isBehindLink(root, edit.path)) return;
      if (edit.to === edit.path || edit.to.startsWith(`${edit.path}/`) || edit.path.startsWith(`${edit.to}/`))
        return;
      clear(root, edit.to);
      renameSync(full, join(root, edit.to));
      return;
    case 'chmod':
      if (present === 'file' && !isBehindLink(root, edit.path))
        chmodSync(full, edit.isExecutable ? 0o755 : 0o644);
      return;
    default:
      edit satisfies never;
  }
}

function kindAt(full: string): 'file' | 'folder' | 'link' | undefined {
  let stats: Stats;
  try {
    stats = lstatSync(full);
  } catch {
    return undefined;
  }
  if (stats.isSymbolicLink()) return 'link';
  return stats.isDirectory() ? 'folder' : 'file';
}

/** Makes room at a path: removes files and links among its parents, and what is there. `kept`: a file may stay. */
function clear(root: string, at: string, kept?: 'file'): void {
  const parts = at.split('/');
  for (let count = 1; count < parts.length; count += 1) {
    const parent = join(root, ...parts.slice(0, count));
    const kind = kindAt(parent);
    if (kind === 'file' || kind === 'link') rmSync(parent);
  }
  const full = join(root, at);
  mkdirSync(dirname(full), { recursive: true });
  if (kindAt(full) !== kept) rmSync(full, { recursive: true, force: true });
}

function isBehindLink(root: string, at: string): boolean {
  const parts = at.split('/');
  return parts.some((_, count) => count > 0 && kindAt(join(root, ...parts.slice(0, count))) !== 'folder');
}
