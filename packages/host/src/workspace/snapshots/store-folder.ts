import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Git } from '../git/git.ts';
import { isMissing } from '../real-path.ts';

/** Attributes that switch off all conversions, so that the store has the bytes of the disk. They overrule `.gitattributes` files. */
const ATTRIBUTES = '* -text -eol -ident -filter -working-tree-encoding !diff !merge\n';

/**
 * Settings of a store. `bare`: its working tree comes with each call. Nothing is collected in the background: other calls of git would
 * compete with it.
 */
const SETTINGS = `
[core]
	bare = false
	autocrlf = false
	safecrlf = false
	fsmonitor = false
	untrackedCache = false
	logAllRefUpdates = false
	quotePath = false
	fsyncMethod = batch
[gc]
	auto = 0
[pack]
	threads = 1
[index]
	threads = 1
`;

/** Files that this host was writing when it was killed. */
const TEMPORARY = ['.agenthost-*'];

/** Caches of tools, which are never recorded when they are untracked. */
export const CACHES = [
  'node_modules/',
  '__pycache__/',
  '.venv/',
  '.tox/',
  '.mypy_cache/',
  '.pytest_cache/',
  '.ruff_cache/',
  '.gradle/',
  '.next/',
  '.nuxt/',
  '.turbo/',
  '.parcel-cache/',
  '.cache/',
  '.DS_Store',
];

/** The names of the folders of {@link CACHES}. */
export const CACHE_NAMES: ReadonlySet<string> = new Set(CACHES.map((name) => name.replace('/', '')));

/** The id of the store of a working tree. */
export const storeIdOf = (root: string): string =>
  createHash('sha256').update(root).digest('hex').slice(0, 24);

/** A short name of a text for refs and files. */
export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 24);

/** The git folder of a store: a repository that belongs to the host, beside the user's own. */
export class StoreFolder {
  readonly path: string;
  readonly #git: Git;
  #isReady = false;
  #rules: string | undefined;

  /** `path`: absolute; made on first use. */
  constructor(git: Git, path: string) {
    this.#git = git;
    this.path = path;
  }

  /** The index, which stays between snapshots: git compares only files whose time or size has changed. */
  get index(): string {
    return join(this.path, 'index');
  }

  /** A folder for files of one operation. */
  get scratch(): string {
    return join(this.path, 'scratch');
  }

  /** Makes the store, or repairs the traces of a killed host. `root`: the working tree, noted for people. */
  async prepare(root: string, format: () => Promise<'sha1' | 'sha256'>): Promise<void> {
    if (this.#isReady) return;
    if (!(await exists(join(this.path, 'ready')))) await this.#make(root, await format());
    // Only this host uses the store, so a lock that exists now was left by a killed one.
    await rm(`${this.index}.lock`, { force: true });
    await rm(join(this.path, 'packed-refs.lock'), { force: true });
    await rm(this.scratch, { recursive: true, force: true });
    await mkdir(this.scratch, { recursive: true, mode: 0o700 });
    this.#isReady = true;
  }

  async #make(root: string, format: 'sha1' | 'sha256'): Promise<void> {
    // A store without the mark was left half made.
    await rm(this.path, { recursive: true, force: true });
    await mkdir(this.path, { recursive: true, mode: 0o700 });
    await this.#git.run(['init', '--quiet', '--bare', '--template=', `--object-format=${format}`, this.path]);
    const config = join(this.path, 'config');
    await writeFile(config, (await readFile(config, 'utf8')) + SETTINGS);
    await mkdir(join(this.path, 'info'), { recursive: true });
    await writeFile(join(this.path, 'info', 'attributes'), ATTRIBUTES);
    await writeFile(join(this.path, 'root'), `${root}\n`);
    await writeFile(join(this.path, 'ready'), '');
  }

  /** Sets the ignore rules beside those of `.gitignore` files. The rules of the user come last and win. */
  async setRules(rules: string): Promise<void> {
    const text = `${[...CACHES, ...TEMPORARY].join('\n')}\n${rules}`;
    if (text === this.#rules) return;
    await this.replaceFile(join(this.path, 'info', 'exclude'), text);
    this.#rules = text;
  }

  /** Removes the index: the next snapshot compares every file. */
  async dropIndex(): Promise<void> {
    await rm(this.index, { force: true });
    await rm(`${this.index}.lock`, { force: true });
  }

  /** Removes loose objects that were written before a time, in ms since the epoch. */
  async removeLoose(before: number): Promise<void> {
    const objects = join(this.path, 'objects');
    for (const folder of await readdir(objects)) {
      if (!/^[0-9a-f]{2}$/.test(folder)) continue;
      for (const name of await readdir(join(objects, folder)))
        await this.removeOld(join(objects, folder, name), before);
    }
  }

  /** Removes a file that was written before a time, in ms since the epoch. */
  async removeOld(path: string, before: number): Promise<void> {
    if ((await stat(path)).mtimeMs <= before) await rm(path, { force: true });
  }

  /** Points a ref to an object, in one step. */
  async writeRef(name: string, id: string): Promise<void> {
    const path = join(this.path, name);
    await mkdir(dirname(path), { recursive: true });
    const temporary = join(this.scratch, `${randomUUID()}.ref`);
    const file = await open(temporary, 'wx');
    try {
      await file.writeFile(`${id}\n`);
      await file.datasync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  }

  /** Replaces a file of the store in one step. */
  async replaceFile(path: string, text: string): Promise<void> {
    await writeFile(`${path}.new`, text, { mode: 0o600 });
    await rename(`${path}.new`, path);
  }
}

/** Whether a path exists. Other errors of the file system reject. */
export async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}
