import { type ActionEnvelope, type ChannelKind, ROOT_URI } from '@agenthost/protocol';
import type { Journal, JournalStart, JournalWrite } from '../journal/journal.ts';
import type { Clock, Timers } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Channel } from './channel.ts';
import { type Cause, CommitPath } from './commit-path.ts';
import { Emitter, type Observer } from './emitter.ts';
import { Registry } from './registry.ts';
import { Sequencer } from './sequencer.ts';
import { EncodedEnvelope, type Sink } from './subscription.ts';
import type { NotAPromise, RunningCause, Work } from './tx.ts';

/**
 * The shared state of the host: channels, their numbers, their subscribers. State changes by a transaction alone, which
 * `transact`, `commit` and `attempt` hand out.
 */
export class Sync {
  readonly path: CommitPath;
  readonly registry: Registry;
  readonly sequencer: Sequencer;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly #emitter: Emitter;

  constructor(parts: { journal: Journal; start: JournalStart; clock: Clock; timers: Timers; log: Log }) {
    const { journal, start, clock, log } = parts;
    this.journal = journal;
    this.clock = clock;
    this.sequencer = new Sequencer(journal, start.reservedSeq);
    const running: RunningCause = { tx: undefined, number: 0 };
    this.#emitter = new Emitter({
      sequencer: this.sequencer,
      clock,
      running,
      lastTime: start.lastTime,
      root: () => this.root,
    });
    this.path = new CommitPath({ ...parts, sequencer: this.sequencer, running, actions: this.#emitter });
    this.registry = new Registry({ journal, path: this.path, clock, log });
  }

  /**
   * Runs changes that belong together; one transaction of the journal commits them. Throws `JournalUnavailable` for a
   * client's cause while the journal cannot be written. A host's cause waits for the journal and runs later, and runs again
   * after a failed commit, on the state as it was before. When `work` throws, all its changes are taken back first. Called
   * inside another transaction, it joins that one.
   */
  transact(cause: Cause, work: Work): void {
    this.path.transact(cause, work);
  }

  /**
   * The same as `transact`; resolves with the result of `work` when the changes are durable and published. A client's cause
   * rejects with `JournalUnavailable` when it cannot be written now, and leaves nothing. A host's cause resolves however long
   * the journal fails, and rejects when the host stops before.
   */
  commit<T extends NotAPromise>(cause: Cause, work: Work<T>): Promise<T> {
    return this.path.commit(cause, work);
  }

  /**
   * Runs a host's cause. Resolves with true when its changes are durable, and with false as soon as the journal cannot be
   * written: the changes wait then and are written later.
   */
  attempt(work: Work): Promise<boolean> {
    return this.path.attempt(work);
  }

  /** Commits rows of a part of the host that has no channel. Resolves when they are durable; rejects when the host stops before. */
  commitRows(rows: readonly JournalWrite[]): Promise<void> {
    return this.commit('host', (tx) => {
      for (const row of rows) tx.write(row);
    });
  }

  /**
   * Closes the open tick and calls `start` once all changes until now are committed and published, or have been taken back.
   * Nothing else changes before `start` runs: reads of the journal that it begins see exactly those changes. Resolves with
   * the result of `start`.
   */
  afterCommit(): Promise<void>;
  afterCommit<T>(start: () => T | Promise<T>): Promise<T>;
  afterCommit<T>(start?: () => T | Promise<T>): Promise<T | undefined> {
    return this.path.boundary(
      () => undefined,
      () => start?.(),
    );
  }

  /** Number of the newest public envelope: a snapshot taken at a boundary reflects everything up to it. */
  get emittedSeq(): number {
    return this.#emitter.emittedSeq;
  }

  /** Counts bytes that an action made the host read, write or send besides its envelopes. */
  countWork(bytes: number): void {
    this.#emitter.countWork(bytes);
  }

  /**
   * About how many bytes envelopes have made the host write and send until now. Sending to one subscriber costs a
   * sixteenth of making and journaling an envelope.
   */
  get workBytes(): number {
    return this.#emitter.workBytes;
  }

  /**
   * A number for the snapshots of one answer, above all that they reflect and of nobody else's: a client that names it, or a higher one,
   * has had that answer [CONN-5]. Call it at a boundary. The newest public one where none can be reserved.
   */
  nextBoundarySeq(): number {
    return this.sequencer.covers(this.sequencer.following) ? this.sequencer.next() : this.emittedSeq;
  }

  /**
   * Registers an observer, which mirrors changes of one kind of channel in the same transaction. Appended text is not told,
   * since nothing mirrors it.
   */
  observe<K extends ChannelKind>(kind: K, observer: Observer<K>): void {
    this.#emitter.observe(kind, observer);
  }

  /**
   * A time stamp that is never below its predecessor [ACT-6]; ms since the epoch. One cause has one stamp: private and public
   * envelopes of a cause must leave the same `modifiedAt` in every window [CHAT-6].
   */
  stamp(): number {
    return this.#emitter.stamp();
  }

  /**
   * Sends one envelope to one client alone: numbered, not journaled [ACT-7]. `dropped` runs instead when the commit fails
   * for which the envelope waits.
   */
  sendPrivate(
    sink: Sink,
    envelope: Omit<ActionEnvelope, 'serverSeq' | 'x-time'>,
    dropped?: () => void,
  ): void {
    const encoded = new EncodedEnvelope({
      ...envelope,
      serverSeq: this.sequencer.next(),
      'x-time': this.stamp(),
    });
    this.countWork(encoded.json.length);
    this.path.sendNumbered(() => sink.envelope(encoded, undefined), dropped);
  }

  /** The root channel; always in memory. */
  get root(): Channel<'root'> {
    const root = this.registry.getOf('root', ROOT_URI);
    if (root === undefined) throw new Error('the root channel is not loaded yet');
    return root;
  }
}
