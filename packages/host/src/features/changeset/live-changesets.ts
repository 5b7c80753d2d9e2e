import type { ChangesetFile, ChangesetLeftOut, ChangesetState, ErrorInfo } from '@agenthost/protocol';
import { defined, errorText, sameJson } from '@agenthost/protocol/values';
import type { Cancel, Timers } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Channel } from '../../sync/channel.ts';
import type { Sync } from '../../sync/sync.ts';
import { SnapshotError } from '../../workspace/snapshots/snapshot-error.ts';
import type { BlobUris } from './blob-uris.ts';
import { changedFiles, leftOutFiles } from './changed-files.ts';
import type { ChangesetOperations } from './operations.ts';
import { type ChangeSource, NoChangeset } from './source.ts';
import { isReviewable, subjectOf } from './uris.ts';

/** A changeset with more files is not listed: its state would be too large. */
const MAX_FILES = 2_000;
/** Changes of a running turn are shown together. */
const DEBOUNCE_MS = 500;

interface Parts {
  readonly sync: Sync;
  readonly timers: Timers;
  readonly log: Log;
  readonly source: ChangeSource;
  readonly uris: BlobUris;
  readonly operations: ChangesetOperations;
}

/** A changeset that is being computed. */
interface Computation {
  /** Once more afterwards. */
  isAgain: boolean;
  /** Since the files began to be read, a client has asked or a turn has ended: the status is not `ready` before the next time. */
  isOutdated: boolean;
  done: Promise<void>;
}

/** The changesets in memory: makes them when a client subscribes, and computes them again when files have changed. */
export class LiveChangesets {
  readonly #parts: Parts;
  /** Changesets that are computed now. */
  readonly #computing = new Map<string, Computation>();
  readonly #debounced = new Map<string, Cancel>();
  #isOver = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    const { registry } = parts.sync;
    registry.onMissing(async (uri) => {
      await this.#create(uri);
      return undefined;
    });
    // The files may have changed while the changeset was not in memory, or the host was killed while it was computed.
    registry.onLoaded((channel) => {
      if (!channel.is('changeset')) return;
      this.#endOperations(channel);
      void this.compute(channel);
    });
  }

  /** Ends operations that a killed host was running [CONN-8]. A running operation keeps its changeset in memory. */
  #endOperations(channel: Channel<'changeset'>): void {
    const running = (channel.state.operations ?? []).filter(({ status }) => status === 'running');
    if (running.length === 0) return;
    const error = { errorType: 'hostRestarted', message: 'The host was restarted while this was running' };
    this.#parts.sync.transact('host', (tx) => {
      for (const { id } of running)
        tx.emit(channel, {
          type: 'changeset/operationStatusChanged',
          operationId: id,
          status: 'error',
          error,
        });
    });
  }

  async #create(uri: string): Promise<void> {
    const { sync, source } = this.#parts;
    const subject = subjectOf(uri);
    const session = subject && (await source.sessionOf(subject));
    if (subject === undefined || session === undefined || this.#isOver) return;
    // A turn that was never recorded has no changeset.
    if (!(await this.#exists(uri))) return;
    await sync.commit('host', (tx) => {
      if (!session.isAlive || sync.registry.get(uri) !== undefined) return;
      const state: ChangesetState = { status: 'computing', files: [] };
      const init = { uri, kind: 'changeset', session: session.uri, state, hostData: {} } as const;
      const channel = sync.registry.create(tx, init, sync.emittedSeq);
      tx.effect(() => void this.compute(channel));
    });
  }

  async #exists(uri: string): Promise<boolean> {
    const subject = subjectOf(uri);
    if (subject === undefined) return false;
    if (subject.kind === 'session' || subject.kind === 'chat') return true;
    try {
      await this.#parts.source.steps(subject);
      return true;
    } catch (error) {
      // The reason of another failure is shown by the changeset.
      return !(error instanceof NoChangeset && error.errorType === 'notRecorded');
    }
  }

  /** Computes the changesets of a session after a short time, those that are in memory. */
  changed(session: string): void {
    if (this.#isOver || this.#debounced.has(session)) return;
    this.#debounced.set(
      session,
      this.#parts.timers.after(DEBOUNCE_MS, () => {
        this.#debounced.delete(session);
        void this.recompute(session);
      }),
    );
  }

  /** Computes the changesets of a session, and those of others that show the working tree. `except`: one that shows the files already. */
  async recompute(session: string, except?: Channel<'changeset'>): Promise<void> {
    const concerned = this.#concerned(session).filter((channel) => channel !== except);
    await Promise.all(concerned.map((channel) => this.compute(channel)));
  }

  /** Computes as `recompute` does. None of these changesets is `ready` until its files have been read again after this call. */
  outdated(session: string): void {
    for (const channel of this.#concerned(session)) {
      const running = this.#computing.get(channel.uri);
      if (running === undefined) void this.compute(channel);
      else this.#again(channel, running);
    }
  }

  /** The changesets in memory that work in a session may change. */
  #concerned(session: string): Channel<'changeset'>[] {
    return [...this.#parts.sync.registry.ofKind('changeset')].filter(
      (channel) => channel.session === session || isOfTree(channel),
    );
  }

  #again(channel: Channel<'changeset'>, running: Computation): void {
    running.isAgain = true;
    running.isOutdated = true;
    this.#begin(channel);
  }

  /** The changesets of working trees that clients watch. */
  watched(): Channel<'changeset'>[] {
    return [...this.#parts.sync.registry.ofKind('changeset')].filter(
      (channel) => channel.subscriptions.size > 0 && isOfTree(channel),
    );
  }

  /**
   * Computes a changeset that a client sees again. The status of uncommitted changes and of a branch tells the client at once that its snapshot
   * may be out of date, and stays so until files are read that began to be read after this call; others are computed when a turn changes something,
   * and when it ends.
   */
  freshen(channel: Channel<'changeset'>): void {
    const showsTree = isOfTree(channel);
    const running = this.#computing.get(channel.uri);
    if (running === undefined) {
      // A failure of before is no answer to somebody who asks now.
      if (channel.state.status === 'error') this.#begin(channel);
      void this.compute(channel, { isQuiet: !showsTree });
    } else if (channel.state.status === 'error' || (showsTree && channel.state.status !== 'computing')) {
      this.#again(channel, running);
    }
  }

  /** Computes a changeset. `isQuiet`: its status changes only if the files have changed. Never rejects. */
  compute(channel: Channel<'changeset'>, { isQuiet = false } = {}): Promise<void> {
    const running = this.#computing.get(channel.uri);
    if (running !== undefined) {
      running.isAgain = true;
      return running.done;
    }
    if (this.#isOver) return Promise.resolve();
    const entry: Computation = { isAgain: false, isOutdated: false, done: Promise.resolve() };
    this.#computing.set(channel.uri, entry);
    const unpin = channel.pin();
    entry.done = this.#loop(channel, entry, isQuiet)
      .catch((error: unknown) =>
        this.#parts.log.error({ error, uri: channel.uri }, 'a changeset was not computed'),
      )
      .finally(() => {
        this.#computing.delete(channel.uri);
        unpin();
      });
    return entry.done;
  }

  async #loop(channel: Channel<'changeset'>, entry: Computation, isQuiet: boolean): Promise<void> {
    do {
      entry.isAgain = false;
      entry.isOutdated = false;
      await this.#compute(channel, entry, isQuiet);
    } while (entry.isAgain && channel.isAlive && !this.#isOver);
  }

  async #compute(channel: Channel<'changeset'>, entry: Computation, isQuiet: boolean): Promise<void> {
    const { sync, operations, log } = this.#parts;
    const subject = subjectOf(channel.uri);
    if (subject === undefined || !channel.isAlive) return;
    if (!isQuiet && channel.state.status === 'ready') this.#begin(channel);
    try {
      const { files, leftOut } = await this.#content(channel.uri);
      const found = await operations.offered(channel.uri, subject);
      sync.transact('host', (tx) => {
        if (!channel.isAlive) return;
        const { state } = channel;
        const offered = operations.withStatus(channel, found);
        const next = isReviewable(subject) ? withReviews(files, state.files) : files;
        const isSame =
          sameJson(next, state.files) &&
          sameJson(offered, state.operations ?? []) &&
          sameJson(leftOut, state['x-leftOut']);
        if (!isSame)
          tx.emit(channel, {
            type: 'changeset/contentChanged',
            files: next,
            operations: offered,
            ...defined({ 'x-leftOut': leftOut }),
          });
        if (state.status !== 'ready' && !entry.isOutdated)
          tx.emit(channel, { type: 'changeset/statusChanged', status: 'ready' });
      });
    } catch (error) {
      const info = failureOf(error);
      if (info === undefined) log.error({ error, uri: channel.uri }, 'a changeset was not computed');
      const shown = info ?? { errorType: 'hostError', message: errorText(error) };
      sync.transact('host', (tx) => {
        if (!channel.isAlive || sameJson(channel.state.error, shown)) return;
        tx.emit(channel, { type: 'changeset/statusChanged', status: 'error', error: shown });
      });
    }
  }

  /** `computing` only the first time; later the files of before stay [CS-20]. */
  #begin(channel: Channel<'changeset'>): void {
    if (channel.state.status === 'computing' || channel.state.status === 'recomputing') return;
    this.#parts.sync.transact('host', (tx) => {
      if (channel.isAlive) tx.emit(channel, { type: 'changeset/statusChanged', status: 'recomputing' });
    });
  }

  async #content(
    uri: string,
  ): Promise<{ readonly files: ChangesetFile[]; readonly leftOut: ChangesetLeftOut | undefined }> {
    const { source, uris } = this.#parts;
    const subject = subjectOf(uri);
    const folders = subject === undefined ? [] : await source.changes(subject);
    const count = folders.reduce((sum, { counted }) => sum + counted.length, 0);
    if (count > MAX_FILES)
      throw new NoChangeset(
        'tooLarge',
        `${count} files have changed, and changes of at most ${MAX_FILES} files can be shown, reverted and committed here`,
      );
    const files = (await Promise.all(folders.map((folder) => changedFiles(folder, uris)))).flat();
    return { files, leftOut: leftOutFiles(folders) };
  }

  /** Ends all work. Resolves when it has ended. */
  async stop(): Promise<void> {
    this.#isOver = true;
    for (const cancel of this.#debounced.values()) cancel();
    this.#debounced.clear();
    await Promise.all([...this.#computing.values()].map(({ done }) => done));
  }
}

/** Whether a changeset shows the working tree as it is now. */
function isOfTree({ uri }: Channel<'changeset'>): boolean {
  const kind = subjectOf(uri)?.kind;
  return kind === 'uncommitted' || kind === 'branch';
}

/** Keeps the marks of files whose content has not changed since [CS-22]. */
function withReviews(files: readonly ChangesetFile[], before: readonly ChangesetFile[]): ChangesetFile[] {
  const marked = new Map(
    before.flatMap((file) => (file.reviewed === true ? [[file.id, file] as const] : [])),
  );
  return files.map((file) => {
    const old = marked.get(file.id);
    const isSame = old !== undefined && sameJson(old.edit, file.edit) && sameJson(old._meta, file._meta);
    return { ...file, reviewed: isSame };
  });
}

/** A failure for people. `undefined`: a fault of the host. */
function failureOf(error: unknown): ErrorInfo | undefined {
  if (error instanceof NoChangeset) return { errorType: error.errorType, message: error.message };
  if (!(error instanceof SnapshotError)) return undefined;
  const types = {
    tooLarge: 'tooLarge',
    missing: 'notRecorded',
    stopped: 'hostError',
    failed: 'hostError',
  } as const;
  const text =
    error.code === 'tooLarge' ? 'This folder is too large to record' : 'The changes cannot be read';
  return { errorType: types[error.code], message: `${text}: ${error.message}` };
}
