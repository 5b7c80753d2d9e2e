import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, rename, rm, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { deflate } from 'node:zlib';
import { isMissing } from '../real-path.ts';
import { type PackObject, PackWriter } from './pack-writer.ts';
import type { TreeChange } from './tree-changes.ts';
import { editTrees } from './tree-edit.ts';

const deflated = promisify(deflate);

/** A file of a tree. */
export interface TreeEntry {
  /** Relative to the root of the tree, with `/`. */
  readonly path: string;
  readonly mode: string;
  readonly id: string;
}

/** More objects that are written together are in one pack. */
const MAX_LOOSE = 16;

/** Writes objects into a git repository without a process for each of them. They are on the disk when they are written. */
export class ObjectWriter {
  readonly #folder: string;
  readonly #scratch: string;
  readonly #format: 'sha1' | 'sha256';
  readonly #packs: PackWriter;

  /** `scratch`: a folder of the same file system for files that are not complete. */
  constructor(options: { objects: string; scratch: string; format: 'sha1' | 'sha256' }) {
    this.#folder = options.objects;
    this.#scratch = options.scratch;
    this.#format = options.format;
    this.#packs = new PackWriter(options);
  }

  /** Stores the content of a file, and resolves with its id. */
  async blob(bytes: Buffer): Promise<string> {
    const found = this.#object('blob', bytes);
    await this.#write(found);
    return found.id;
  }

  /** Stores trees with these files, which need not exist, and resolves with their ids. */
  async trees(all: readonly (readonly TreeEntry[])[]): Promise<string[]> {
    const objects: PackObject[] = [];
    const ids = all.map((entries) => this.#collect(entries, objects));
    await this.#writeAll(objects);
    return ids;
  }

  /** Stores the trees of changed folders; see `editTrees`. */
  async editTrees(
    changes: readonly TreeChange[],
    before: { readonly folders: readonly string[]; readonly contents: readonly (Buffer | undefined)[] },
  ): Promise<void> {
    const objects: PackObject[] = [];
    editTrees(changes, before, {
      idBytes: this.#format === 'sha1' ? 20 : 32,
      store: (content) => {
        const object = this.#object('tree', content);
        objects.push(object);
        return object.id;
      },
    });
    await this.#writeAll(objects);
  }

  async #writeAll(objects: readonly PackObject[]): Promise<void> {
    const unique = [...new Map(objects.map((object) => [object.id, object])).values()];
    if (unique.length > MAX_LOOSE) await this.#packs.write(unique);
    else await Promise.all(unique.map((object) => this.#write(object)));
  }

  /** Adds the objects of a tree, the parts before the whole. */
  #collect(entries: readonly TreeEntry[], objects: PackObject[]): string {
    const folders = new Map<string, TreeEntry[]>();
    const own: { readonly key: Buffer; readonly name: Buffer; readonly mode: string; readonly id: string }[] =
      [];
    for (const { path, mode, id } of entries) {
      const slash = path.indexOf('/');
      if (slash < 0) {
        // A tree in a tree is a folder: its name counts as if a slash followed.
        const name = Buffer.from(path);
        own.push({ key: mode === TREE ? Buffer.concat([name, SLASH]) : name, name, mode, id });
        continue;
      }
      const folder = path.slice(0, slash);
      const list = folders.get(folder) ?? [];
      if (list.length === 0) folders.set(folder, list);
      list.push({ path: path.slice(slash + 1), mode, id });
    }
    for (const [folder, inside] of folders) {
      const name = Buffer.from(folder);
      own.push({ key: Buffer.concat([name, SLASH]), name, mode: TREE, id: this.#collect(inside, objects) });
    }
    own.sort((a, b) => Buffer.compare(a.key, b.key));
    const parts = own.flatMap(({ name, mode, id }) => [
      Buffer.from(`${mode.replace(/^0/, '')} `),
      name,
      NUL,
      Buffer.from(id, 'hex'),
    ]);
    const object = this.#object('tree', Buffer.concat(parts));
    objects.push(object);
    return object.id;
  }

  #object(kind: PackObject['kind'], content: Buffer): PackObject {
    const id = createHash(this.#format).update(headOf(kind, content)).update(content).digest('hex');
    return { kind, id, content };
  }

  async #write({ kind, id, content }: PackObject): Promise<void> {
    const path = join(this.#folder, id.slice(0, 2), id.slice(2));
    if (await isRenewed(path)) return;
    const temporary = join(this.#scratch, `${randomUUID()}.object`);
    const packed = await deflated(Buffer.concat([headOf(kind, content), content]));
    try {
      const file = await open(temporary, 'wx', 0o444);
      try {
        await file.writeFile(packed);
        await file.datasync();
      } finally {
        await file.close();
      }
      await mkdir(dirname(path), { recursive: true });
      await rename(temporary, path);
    } finally {
      await rm(temporary, { force: true });
    }
  }
}

/** The bytes before the content in the hashed and stored form of an object. */
const headOf = (kind: PackObject['kind'], content: Buffer): Buffer =>
  Buffer.from(`${kind} ${content.length}\0`);

const TREE = '040000';
const SLASH = Buffer.from('/');
const NUL = Buffer.from([0]);

/** Whether an object is there. It counts as new then, so that it is not removed now. */
async function isRenewed(path: string): Promise<boolean> {
  try {
    const now = new Date();
    await utimes(path, now, now);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}
