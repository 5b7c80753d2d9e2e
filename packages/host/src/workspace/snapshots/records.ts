import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '@agenthost/protocol/values';
import { BlobReader } from './blob-reader.ts';
import type { LeftOut } from './left-out.ts';
import { hashOf } from './store-folder.ts';
import { isSameBlob, type TreeChange } from './tree-changes.ts';
import type { ChangePair, TreeStore } from './tree-store.ts';
import { type FileChangePlan, removeTemporary, versionOnDisk, writeFiles } from './write-files.ts';

/** The facts of a record. */
export interface RecordFacts {
  readonly kind: 'turn' | 'revert' | 'undo';
  readonly session: string;
  /** The chat that shows the record. For a revert also the changeset that it was made in, which can undo it. */
  readonly chat: string;
  /** The turn that changed the files. Absent: a revert, or the undoing of one. */
  readonly turnId?: string;
  /** The folder that was recorded, relative to the root of the working tree. */
  readonly scope: string;
  /** ms since the epoch. */
  readonly startedAt: number;
  readonly endedAt: number;
  /** Paths that another turn, which ran at the same time, may have changed. */
  readonly shared: readonly string[];
  /** Files that the turn may have changed, and that are not recorded. Absent: none. */
  readonly leftOut?: LeftOut;
  /** The files that were written at once have this in all their records. */
  readonly writeId?: string;
  /** Only some of the files were written, because the host was killed or a file could not be written. Absent: all were. */
  readonly isPartial?: true;
}

/** Changes of one turn, or of one revert, in one working tree. */
export interface ChangeRecord extends RecordFacts {
  readonly pair: ChangePair;
  readonly changes: readonly TreeChange[];
}

/** The record of files that are about to be written. */
export type NewRecord = Omit<RecordFacts, 'endedAt' | 'writeId' | 'isPartial'> & {
  readonly changes: readonly TreeChange[];
};

/** Files that are being written, with their records. */
interface OpenWrite {
  readonly writeId: string;
  readonly plans: readonly FileChangePlan[];
  readonly records: readonly NewRecord[];
}

/** A turn that has begun and not ended: the tree at its start. */
export interface OpenRecord {
  readonly session: string;
  readonly chat: string;
  readonly turnId: string;
  readonly scope: string;
  readonly tree: string;
  readonly startedAt: number;
  /** The start as a time of files, in ms. Absent: an older host wrote the record. */
  readonly since?: number;
}

interface CachedRecords {
  readonly records: Promise<readonly ChangeRecord[]>;
  /** Changed files in all records. */
  readonly files: number;
}

/** Chats whose records are kept in memory for each store, and files in all their records. The last chat is always kept. */
const CACHED_CHATS = 2_000;
const CACHED_FILES = 100_000;

/**
 * The records of a store, by chat. A record is a ref to a tree with the files before and after and the facts as JSON, so that one write makes
 * all of it durable, and git keeps the content that a record needs.
 */
export class ChangeRecords {
  readonly #store: TreeStore;
  #lastEnd = 0;
  /** By chat, the one that was needed last at the end. */
  readonly #cache = new Map<string, CachedRecords>();
  /** Changed files in the cached records. */
  #cachedFiles = 0;

  constructor(store: TreeStore) {
    this.#store = store;
  }

  /** Adds a record. The content of its changes is copied into the store. */
  async add(facts: RecordFacts, changes: readonly TreeChange[]): Promise<void> {
    const store = this.#store;
    await store.exclusive(async () => {
      await store.keep(changes);
      const pair = await store.pairOf(changes);
      // Records of one millisecond keep their order.
      const endedAt = Math.max(facts.endedAt, this.#lastEnd + 1);
      this.#lastEnd = endedAt;
      const record: ChangeRecord = { ...facts, endedAt, pair, changes };
      const tree = await store.treeOf([
        { path: 'after', mode: '040000', id: pair.after },
        { path: 'before', mode: '040000', id: pair.before },
        { path: 'facts', mode: '100644', id: await store.write(Buffer.from(JSON.stringify(record))) },
      ]);
      const name = `${String(endedAt).padStart(15, '0')}-${randomUUID().slice(0, 8)}`;
      await store.pointRef(`refs/changes/${hashOf(facts.chat)}/${name}`, tree);
      const cached = this.#cache.get(facts.chat);
      if (cached === undefined) return;
      this.#keep(facts.chat, {
        records: cached.records.then((records) => [...records, record]),
        files: cached.files + changes.length,
      });
    });
  }

  /** Stores and counts changes that are to be added to a chat later: then little is left to do. */
  async prepare(chat: string, changes: readonly TreeChange[]): Promise<void> {
    const store = this.#store;
    await store.exclusive(() => store.keep(changes));
    const counted = await store.counted(await store.pairOf(changes));
    await store.knownSizes(
      counted.flatMap(({ before, after }) => [before, after].flatMap((blob) => blob?.id ?? [])),
    );
    await this.list(chat);
  }

  /** The records of a chat, oldest first. */
  list(chat: string): Promise<readonly ChangeRecord[]> {
    const cached = this.#cache.get(chat);
    if (cached !== undefined) {
      this.#keep(chat, cached);
      return cached.records;
    }
    const records = this.#read(`refs/changes/${hashOf(chat)}/`);
    this.#keep(chat, { records, files: 0 });
    records.then(
      (all) => {
        if (this.#cache.get(chat)?.records === records)
          this.#keep(chat, { records, files: all.reduce((sum, { changes }) => sum + changes.length, 0) });
      },
      // A failed read is tried again.
      () => this.#forget(chat),
    );
    return records;
  }

  #keep(chat: string, cached: CachedRecords): void {
    this.#forget(chat);
    this.#cache.set(chat, cached);
    this.#cachedFiles += cached.files;
    for (const key of this.#cache.keys()) {
      if (key === chat || (this.#cache.size <= CACHED_CHATS && this.#cachedFiles <= CACHED_FILES)) break;
      this.#forget(key);
    }
  }

  #forget(chat: string): void {
    this.#cachedFiles -= this.#cache.get(chat)?.files ?? 0;
    this.#cache.delete(chat);
  }

  /** Removes the records that ended before a time, in ms since the epoch, and those of chats that are gone. */
  async drop(before: number, isGone: (chat: string) => Promise<boolean>): Promise<void> {
    const refs = await this.#refs('refs/changes/');
    const gone = new Map<string, boolean>();
    const dropped: string[] = [];
    for (const { name, tree } of refs) {
      const [, , key = '', tail = ''] = name.split('/');
      let isChatGone = gone.get(key);
      if (isChatGone === undefined) {
        const [text] = await this.#store.readAll([`${tree}:facts`]);
        // This host wrote the object.
        const facts: RecordFacts | undefined = text && JSON.parse(text.toString('utf8'));
        isChatGone = facts !== undefined && (await isGone(facts.chat));
        gone.set(key, isChatGone);
      }
      if (isChatGone || Number(tail.slice(0, 15)) < before) dropped.push(name);
    }
    if (dropped.length === 0) return;
    await this.#store.exclusive(async () => {
      await this.#store.call(['update-ref', '--stdin'], dropped.map((name) => `delete ${name}\n`).join(''));
      this.#cache.clear();
      this.#cachedFiles = 0;
    });
  }

  /** Notes the start of a turn, so that a host that starts after a kill can end its record. */
  async open(record: OpenRecord): Promise<void> {
    await mkdir(this.#openFolder, { recursive: true, mode: 0o700 });
    await this.#store.folder.replaceFile(this.#openPath(record), JSON.stringify(record));
  }

  /** Forgets the start of a turn. */
  async close(record: Pick<OpenRecord, 'chat' | 'scope'>): Promise<void> {
    await rm(this.#openPath(record), { force: true });
  }

  /** Turns that have begun and not ended. */
  async listOpen(): Promise<OpenRecord[]> {
    const paths = await filesIn(this.#openFolder);
    // This host wrote the files.
    return Promise.all(
      paths.map(async (path): Promise<OpenRecord> => JSON.parse(await readFile(path, 'utf8'))),
    );
  }

  /**
   * Writes files into the working tree, all or none, and adds their records. What was written before a kill is recorded by `recoverWrites`.
   * Rejects as `writeFiles` does. `now`: ms since the epoch.
   */
  async write(
    plans: readonly FileChangePlan[],
    records: readonly NewRecord[],
    now: () => number,
  ): Promise<void> {
    const store = this.#store;
    const writeId = randomUUID();
    const path = join(this.#writesFolder, `${writeId}.json`);
    await mkdir(this.#writesFolder, { recursive: true, mode: 0o700 });
    await store.folder.replaceFile(path, JSON.stringify({ writeId, plans, records } satisfies OpenWrite));
    try {
      const contents = new BlobReader(
        store,
        plans.flatMap(({ to }) => to?.id ?? []),
      );
      const parts = { read: (id: string) => contents.read(id), temporary: temporaryOf(writeId) };
      await store.exclusive(() => writeFiles(store.root, plans, parts));
    } catch (error) {
      await this.#recoverWrite(path, now());
      throw error;
    }
    for (const { changes, ...facts } of records)
      await this.add({ ...facts, writeId, endedAt: now() }, changes);
    await rm(path, { force: true });
  }

  /** Adds the records of files that a killed host has written. Resolves with the facts of what was interrupted. */
  async recoverWrites(endedAt: number): Promise<NewRecord[]> {
    const interrupted: NewRecord[] = [];
    for (const path of await filesIn(this.#writesFolder))
      interrupted.push(...(await this.#recoverWrite(path, endedAt)));
    return interrupted;
  }

  async #recoverWrite(path: string, endedAt: number): Promise<readonly NewRecord[]> {
    // This host wrote the file.
    const { writeId, plans, records }: OpenWrite = JSON.parse(await readFile(path, 'utf8'));
    const { root } = this.#store;
    await removeTemporary(root, plans, temporaryOf(writeId));
    const format = await this.#store.format();
    const written = new Set<string>();
    for (const { path: file, from } of plans) {
      const found = await versionOnDisk(root, file, format);
      const isAsBefore =
        typeof found === 'object' ? isSameBlob(found, from) : from === undefined && found === undefined;
      if (!isAsBefore) written.add(file);
    }
    for (const { changes, ...facts } of records) {
      const present = await this.list(facts.chat);
      const own = changes.filter((change) => written.has(change.path));
      if (own.length === 0 || present.some((record) => record.writeId === writeId)) continue;
      const partial = own.length < changes.length ? ({ isPartial: true } as const) : {};
      await this.add({ ...facts, writeId, endedAt, ...partial }, own);
    }
    await rm(path, { force: true });
    return records;
  }

  get #openFolder(): string {
    return join(this.#store.folder.path, 'open');
  }

  get #writesFolder(): string {
    return join(this.#store.folder.path, 'writes');
  }

  #openPath({ chat, scope }: Pick<OpenRecord, 'chat' | 'scope'>): string {
    return join(this.#openFolder, `${hashOf(chat)}-${hashOf(scope)}.json`);
  }

  async #read(prefix: string): Promise<readonly ChangeRecord[]> {
    const refs = await this.#refs(prefix);
    const texts = await this.#store.readAll(refs.map(({ tree }) => `${tree}:facts`));
    // This host wrote the objects. One that a failure of power has damaged is no record.
    return texts.flatMap((text): ChangeRecord[] =>
      text === undefined ? [] : [JSON.parse(text.toString('utf8'))],
    );
  }

  async #refs(prefix: string): Promise<{ readonly name: string; readonly tree: string }[]> {
    const text = await this.#store.call(['for-each-ref', '--format=%(refname) %(objectname)', prefix]);
    return text
      .toString('utf8')
      .split('\n')
      .flatMap((line) => {
        const [name = '', tree = ''] = line.split(' ');
        return tree === '' ? [] : [{ name, tree }];
      })
      .toSorted((a, b) => (a.name.split('/').at(-1) ?? '').localeCompare(b.name.split('/').at(-1) ?? ''));
  }
}

/** Snapshots leave files of this name out. */
const temporaryOf = (writeId: string): string => `.agenthost-${writeId}.tmp`;

/** The JSON files of a folder, which may not exist. */
async function filesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (errorCode(error) === undefined) throw error;
    return [];
  });
  return names.filter((name) => name.endsWith('.json')).map((name) => join(folder, name));
}
