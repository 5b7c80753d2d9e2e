import { lstat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ChatAction, ToolResultContent } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import type { Cancel, Clock, Timers } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Sync } from '../../sync/sync.ts';
import type { TurnParts } from '../../turns/parts.ts';
import { findRealPath } from '../../workspace/real-path.ts';
import { fileTime } from '../../workspace/snapshots/late-changes.ts';
import { changedIgnored, changedLeftOut, type LeftOut, named } from '../../workspace/snapshots/left-out.ts';
import { SnapshotError } from '../../workspace/snapshots/snapshot-error.ts';
import { compose, type TreeChange } from '../../workspace/snapshots/tree-changes.ts';
import type { Snapshot } from '../../workspace/snapshots/tree-index.ts';
import type { TreeStore } from '../../workspace/snapshots/tree-store.ts';
import { tolerant } from '../../workspace/tolerant.ts';
import type { Folders, RecordedFolder } from './folders.ts';

/** Time that the start of a turn waits for its snapshot. */
const START_WAIT_MS = 250;

/** While a turn runs, its changes are read at most once in this time. */
const AHEAD_MS = 2_000;

/** A turn that runs. */
interface OpenTurn {
  readonly session: string;
  readonly chat: string;
  readonly turnId: string;
  /** ms since the epoch. */
  readonly startedAt: number;
  /** The start as a time of files, in ms. */
  readonly since: number;
  readonly parts: readonly OpenPart[];
  /** Paths of the files that its tool calls named as changed: as they were named, and real ones. */
  readonly announced: Set<string>;
  /** Turns of other chats that ran at the same time. */
  readonly peers: Set<OpenTurn>;
  /** Changes that people made through the host while the turn ran. They do not count as changes of the turn. */
  readonly asides: Aside[];
  /** Cancels the next reading of its changes. Absent: none is due. */
  ahead?: Cancel | undefined;
}

/** The trees of a folder before and after an operation of a person. */
interface Aside {
  readonly store: TreeStore;
  readonly scope: string;
  readonly before: string;
  readonly after: string;
}

interface OpenPart extends RecordedFolder {
  /** The snapshot at the start. Resolves with `undefined` if it could not be taken. */
  readonly start: Promise<Snapshot | undefined>;
}

/** The changes of a running turn so far. */
export interface Progress extends RecordedFolder {
  readonly turnId: string;
  readonly changes: readonly TreeChange[];
  readonly shared: readonly string[];
}

/** A turn, or an interrupted revert, whose record is complete. */
export interface Recorded {
  readonly session: string;
  readonly chat: string;
  readonly hasChanges: boolean;
}

interface Parts {
  readonly sync: Sync;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  readonly folders: Folders;
  readonly workingDirectoriesOf: TurnParts['workingDirectoriesOf'];
  /** Called when a running turn may have changed files. */
  changed(session: string): void;
  /** Called when a turn, or an interrupted revert, has ended: what is shown of its changes is out of date until `settled` resolves. */
  ended(session: string): void;
  /** Called when the record of a turn is complete. */
  recorded(turn: Recorded): Promise<void>;
}

/**
 * Records the files that each turn changes, by snapshots at its start and end. Edits that people make between turns are in no record. Files
 * that a turn has announced are its own; other files that changed while two turns ran are marked as shared.
 */
export class TurnRecorder {
  readonly #parts: Parts;
  /** By chat. */
  readonly #open = new Map<string, OpenTurn>();
  /** Calls of `recorded`, and readings of running turns, that have not ended. */
  readonly #telling = new Set<Promise<void>>();
  /** Resolves when the edits so far are noted. */
  #noting = Promise.resolve();
  /** Records that are being completed, by chat. */
  readonly #ending = new Map<Promise<unknown>, string>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Number of turns whose records are not complete. */
  get openCount(): number {
    return this.#open.size + this.#ending.size;
  }

  /** Takes the snapshots at the start of a turn. Resolves when they are there, after 250 ms at the latest. Never rejects. */
  async begin(of: {
    readonly session: string;
    readonly chat: string;
    readonly turnId: string;
  }): Promise<void> {
    const { timers, log } = this.#parts;
    const late = Promise.withResolvers<void>();
    let lateFrom: number | undefined;
    const cancel = timers.after(START_WAIT_MS, () => {
      lateFrom = fileTime();
      late.resolve();
    });
    const begun = this.#begin(of, () => lateFrom).catch((error: unknown) =>
      log.warn({ error, chat: of.chat }, 'the files of a turn are not recorded'),
    );
    await Promise.race([begun, late.promise]);
    cancel();
  }

  async #begin(
    of: { session: string; chat: string; turnId: string },
    lateFrom: () => number | undefined,
  ): Promise<void> {
    const { sync, clock, folders, workingDirectoriesOf } = this.#parts;
    const session = await sync.registry.openOf('session', of.session);
    const chat = await sync.registry.openOf('chat', of.chat);
    if (session === undefined || chat === undefined) return;
    const stored = await folders.of(await workingDirectoriesOf(session, chat));
    if (chat.state.activeTurn?.id !== of.turnId) return;
    const startedAt = clock.now();
    const since = fileTime();
    const parts = stored.map((folder) => ({
      ...folder,
      start: this.#start(folder, { ...of, startedAt, since }, lateFrom),
    }));
    const turn: OpenTurn = {
      ...of,
      startedAt,
      since,
      parts,
      announced: new Set(),
      peers: new Set(),
      asides: [],
    };
    for (const other of this.#open.values()) {
      if (other.chat === of.chat || !other.parts.some((a) => parts.some((b) => a.store === b.store)))
        continue;
      other.peers.add(turn);
      turn.peers.add(other);
    }
    this.#open.set(of.chat, turn);
    await Promise.all(parts.map(({ start }) => start));
  }

  async #start(
    { store, scope, records }: RecordedFolder,
    of: { session: string; chat: string; turnId: string; startedAt: number; since: number },
    lateFrom: () => number | undefined,
  ): Promise<Snapshot | undefined> {
    try {
      const snapshot = await store.snapshotUntil(scope, lateFrom);
      await records.open({ ...of, scope, tree: snapshot.tree });
      return snapshot;
    } catch (error) {
      this.#parts.log.warn(
        { error, chat: of.chat, root: store.root },
        'the files of a turn are not recorded',
      );
      return undefined;
    }
  }

  /** Continues with the turns that an earlier host had begun. Their recovery ends them. */
  async recover(): Promise<void> {
    for (const folder of await this.#parts.folders.all()) {
      for (const { session, chat } of await folder.records.recoverWrites(this.#parts.clock.now()))
        this.#tell({ session, chat }, Promise.resolve(true));
      for (const { scope, tree, since = 0, ...of } of await folder.records.listOpen()) {
        const part = { ...folder, scope, start: Promise.resolve({ tree, skipped: [] }) };
        const present = this.#open.get(of.chat);
        const parts = [...(present?.parts ?? []), part];
        this.#open.set(of.chat, {
          ...of,
          since,
          parts,
          announced: new Set(),
          peers: new Set(),
          asides: [],
        });
        const chat = await this.#parts.sync.registry.load(of.chat);
        // The turn may have ended before its record was complete.
        if (chat?.is('chat') !== true || chat.state.activeTurn?.id !== of.turnId) this.end(of.chat);
      }
    }
  }

  /** Notes files that a tool call of a chat has changed. */
  noteEdits(chat: string, action: ChatAction): void {
    const turn = this.#turnOf(chat);
    if (turn === undefined) return;
    for (const uri of editedUris(action)) {
      const path = pathOf(uri);
      if (path !== undefined) this.#noting = this.#noting.then(() => noteEdit(turn, path));
    }
    this.#parts.changed(turn.session);
    turn.ahead ??= this.#parts.timers.after(AHEAD_MS, () => {
      turn.ahead = undefined;
      const reading = this.#readAhead(turn).finally(() => this.#telling.delete(reading));
      this.#telling.add(reading);
    });
  }

  /** Stores and counts what a running turn has changed so far, so that little is left to do at its end. */
  async #readAhead(turn: OpenTurn): Promise<void> {
    for (const { start, ...folder } of turn.parts) {
      const { store, scope } = folder;
      const begun = await start;
      // Reading a whole tree again would take more than it gives.
      if (begun === undefined || !store.isWatched || this.#open.get(turn.chat) !== turn) continue;
      try {
        const { changes } = await changesOf(turn, folder, begun, await store.snapshot(scope));
        await folder.records.prepare(turn.chat, changes);
      } catch (error) {
        this.#parts.log.debug({ error, chat: turn.chat, root: store.root }, 'changes were not read ahead');
      }
    }
  }

  /** The turn of a chat; for a worker chat, that of the chat that made it. */
  #turnOf(chat: string): OpenTurn | undefined {
    const { registry } = this.#parts.sync;
    for (let at: string | undefined = chat, depth = 0; at !== undefined && depth < 10; depth += 1) {
      const turn = this.#open.get(at);
      if (turn !== undefined) return turn;
      const origin: { readonly kind: string; readonly chat?: string } | undefined = registry.getOf('chat', at)
        ?.outline.origin;
      at = origin?.kind === 'tool' ? origin.chat : undefined;
    }
    return undefined;
  }

  /** Ends the record of a chat's turn. */
  end(chat: string): void {
    const turn = this.#open.get(chat);
    if (turn === undefined) return;
    this.#open.delete(chat);
    turn.ahead?.();
    const { log } = this.#parts;
    const ending = this.#end(turn)
      .catch((error: unknown) => {
        log.warn({ error, chat }, 'the files of a turn were not recorded');
        return false;
      })
      .finally(() => this.#ending.delete(ending));
    this.#ending.set(ending, chat);
    this.#tell(turn, ending);
  }

  #tell({ session, chat }: { session: string; chat: string }, ending: Promise<boolean>): void {
    const { log, ended, recorded } = this.#parts;
    ended(session);
    const telling = ending
      .then((hasChanges) => recorded({ session, chat, hasChanges }))
      .catch((error: unknown) => log.warn({ error, chat }, 'the changes of a turn are not shown'))
      .finally(() => this.#telling.delete(telling));
    this.#telling.add(telling);
  }

  /** Adds the record of a turn. Resolves with whether it has changes. */
  async #end(turn: OpenTurn): Promise<boolean> {
    const { log, clock } = this.#parts;
    const { session, chat, turnId, startedAt } = turn;
    let hasChanges = false;
    await this.#noting;
    await Promise.all(
      turn.parts.map(async ({ start, ...folder }) => {
        const { store, scope, records } = folder;
        const begun = await start;
        if (begun === undefined) return;
        try {
          const end = await store.snapshot(scope);
          const { changes, shared } = await changesOf(turn, folder, begun, end);
          const leftOut = await this.#leftOut(turn, folder, { begun, end, changes });
          const endedAt = clock.now();
          await records.add(
            {
              session,
              chat,
              turnId,
              scope,
              startedAt,
              endedAt,
              shared,
              kind: 'turn',
              ...defined({ leftOut }),
            },
            changes,
          );
          hasChanges ||= changes.length > 0;
        } catch (error) {
          // The next host completes the record.
          if (error instanceof SnapshotError && error.code === 'stopped') return;
          log.warn({ error, chat, root: store.root }, 'the files of a turn were not recorded');
        }
        await records.close({ chat, scope });
      }),
    );
    return hasChanges;
  }

  /** The files that a turn may have changed, and that its record leaves out. `undefined`: none, or they cannot be told. Never rejects. */
  async #leftOut(
    turn: OpenTurn,
    { store, scope }: RecordedFolder,
    { begun, end, changes }: { begun: Snapshot; end: Snapshot; changes: readonly TreeChange[] },
  ): Promise<LeftOut | undefined> {
    const { since, announced } = turn;
    try {
      const skipped = await changedLeftOut(store.root, { before: begun.skipped, after: end.skipped, since });
      const known = new Set([...changes, ...end.skipped].map(({ path }) => join(store.root, path)));
      const inner = end.skipped.flatMap(({ path, reason }) =>
        reason === 'repository' ? [join(store.root, path, '/')] : [],
      );
      const others = [...announced].filter(
        (path) => !known.has(path) && !inner.some((folder) => path.startsWith(folder)),
      );
      // Git refuses all paths if one of them is beyond a link now.
      const ignored = await changedIgnored(store, others, { scope, since }).catch(() => []);
      const found = named([...skipped, ...ignored].filter(({ path }) => !isOfPeer(turn, store, path)));
      return found.count === 0 ? undefined : found;
    } catch (error) {
      this.#parts.log.debug({ error, chat: turn.chat, root: store.root }, 'left-out files are not named');
      return undefined;
    }
  }

  /**
   * Runs work of a person that changes files in these folders. Turns that run there do not get the changes. The work runs also if a
   * folder cannot be recorded.
   */
  async aside<T>(folders: readonly RecordedFolder[], work: () => Promise<T>): Promise<T> {
    const concerned = [...this.#open.values()].flatMap((turn) =>
      turn.parts
        .filter(({ store }) => folders.some((folder) => folder.store === store))
        .map(({ store, scope }) => ({ turn, store, scope })),
    );
    const snapshots = (): Promise<(string | undefined)[]> =>
      Promise.all(
        concerned.map(({ store, scope }) =>
          store.snapshot(scope).then(
            ({ tree }) => tree,
            () => undefined,
          ),
        ),
      );
    const before = await snapshots();
    try {
      return await work();
    } finally {
      const after = await snapshots();
      for (const [index, { turn, store, scope }] of concerned.entries()) {
        const trees = [before[index], after[index]] as const;
        if (trees[0] === undefined || trees[1] === undefined || trees[0] === trees[1]) continue;
        turn.asides.push({ store, scope, before: trees[0], after: trees[1] });
      }
    }
  }

  /** The changes of a chat's running turn so far. Takes a snapshot. Rejects with `SnapshotError`. */
  async progress(chat: string): Promise<Progress[]> {
    const turn = this.#open.get(chat);
    if (turn === undefined) return [];
    const all = turn.parts.map(async ({ start, ...folder }): Promise<Progress[]> => {
      const begun = await start;
      if (begun === undefined) return [];
      const found = await changesOf(turn, folder, begun, await folder.store.snapshot(folder.scope));
      return [{ ...folder, turnId: turn.turnId, ...found }];
    });
    return (await Promise.all(all)).flat();
  }

  /** Resolves when the work for all ended turns is done. */
  async stop(): Promise<void> {
    for (const turn of this.#open.values()) turn.ahead?.();
    await this.settled();
    await Promise.all(this.#telling);
  }

  /** Resolves when the records of ended turns are complete: of one chat, or of all. */
  async settled(chat?: string): Promise<void> {
    for (;;) {
      const waiting = [...this.#ending].flatMap(([done, of]) => (of === (chat ?? of) ? [done] : []));
      if (waiting.length === 0) return;
      await Promise.all(waiting);
    }
  }
}

/**
 * Notes a file that a turn has announced, as it was named, and by its real path. An edit of a link that was there before the turn is one of its
 * target. Never rejects.
 */
async function noteEdit({ announced, since }: OpenTurn, path: string): Promise<void> {
  // The turn may have put a file or a link in the place of a folder: then the real path says nothing of the removed files.
  announced.add(path);
  const real = await tolerant(async () => {
    const entry = join((await findRealPath(dirname(path))).path, basename(path));
    const found = await tolerant(() => lstat(entry));
    const isOldLink = found?.isSymbolicLink() === true && found.ctimeMs < since;
    return isOldLink ? (await findRealPath(entry)).path : entry;
  });
  if (real !== undefined) announced.add(real);
}

/** The changes of a turn between two trees, without those that only another turn has announced. */
async function changesOf(
  turn: OpenTurn,
  { store, scope }: RecordedFolder,
  { tree: start }: Snapshot,
  end: Snapshot,
): Promise<{ changes: TreeChange[]; shared: string[] }> {
  const { announced, peers, asides } = turn;
  const own = asides.filter((aside) => aside.store === store && aside.scope === scope);
  const bounds = [start, ...own.flatMap(({ before, after }) => [before, after]), end.tree];
  const spans: TreeChange[][] = [];
  for (let at = 0; at < bounds.length; at += 2)
    spans.push(await store.difference(bounds[at] ?? start, bounds[at + 1] ?? end.tree, scope));
  const all = compose(spans);
  if (peers.size === 0) return { changes: all, shared: [] };
  const isOwn = (path: string): boolean => announced.has(join(store.root, path));
  const isForeign = (path: string): boolean =>
    [...peers].some((peer) => peer.announced.has(join(store.root, path)));
  const changes = all.filter(({ path }) => !isOfPeer(turn, store, path));
  return { changes, shared: changes.flatMap(({ path }) => (isOwn(path) && !isForeign(path) ? [] : [path])) };
}

/** Whether only other turns have announced a file. */
function isOfPeer({ announced, peers }: OpenTurn, store: TreeStore, path: string): boolean {
  const full = join(store.root, path);
  return !announced.has(full) && [...peers].some((peer) => peer.announced.has(full));
}

function editedUris(action: ChatAction): string[] {
  switch (action.type) {
    case 'chat/toolCallComplete':
      return urisIn(action.result.content);
    case 'chat/toolCallContentChanged':
      return urisIn(action.content);
    default:
      return [];
  }
}

const urisIn = (content: readonly ToolResultContent[] = []): string[] =>
  content.flatMap((block) =>
    block.type === 'fileEdit' ? [block.before, block.after].flatMap((side) => side?.uri ?? []) : [],
  );

function pathOf(uri: string): string | undefined {
  try {
    return uri.startsWith('file:') ? fileURLToPath(uri) : undefined;
  } catch {
    // An agent may name anything.
    return undefined;
  }
}
