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
 * The shared state of the host: channels, their numbers and their subscribers. State changes only by
 * transactions, which `transact`, `commit` and `attempt` start.
 */
export class Sync {
  readonly path: CommitPath;
  readonly registry: Registry;
  readonly sequencer: Sequencer;
  readonly journal: Journal;
  readonly clock: Clock;
  /** Time of the last envelope of the previous run of the host, in ms since the epoch; 0: there was none. */
  readonly lastRunTime: number;
  readonly #emitter: Emitter;

  constructor(parts: { journal: Journal; start: JournalStart; clock: Clock; timers: Timers; log: Log }) {
    const { journal, start, clock, log } = parts;
    this.journal = journal;
    this.clock = clock;
    this.lastRunTime = start.lastTime;
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
   * Runs changes as one transaction of the journal. For a client's cause, throws `JournalUnavailable` while
   * the journal cannot be written. A cause of the host waits for the journal, and runs again after a failed
   * commit, on the restored state. If `work` throws, all its changes are undone first. Inside another
   * transaction, `work` joins it.
   */
  transact(cause: Cause, work: Work): void {
    this.path.transact(cause, work);
  }

  /**
   * Runs changes as `transact` does. Resolves with the result of `work` when the changes are durable and
   * published. A client's cause rejects with `JournalUnavailable` if it cannot be written now, and changes
   * nothing. A cause of the host waits for the journal, and rejects if the host stops first.
   */
  commit<T extends NotAPromise>(cause: Cause, work: Work<T>): Promise<T> {
    return this.path.commit(cause, work);
  }

  /**
   * Runs a cause of the host. Resolves with true when its changes are durable, and with false as soon as the
   * journal cannot be written. The changes are then written later.
   */
  attempt(work: Work): Promise<boolean> {
    return this.path.attempt(work);
  }

  /**
   * Commits rows that belong to no channel. Resolves when they are durable; rejects if the host stops first.
   */
  commitRows(rows: readonly JournalWrite[]): Promise<void> {
    return this.commit('host', (tx) => {
      for (const row of rows) tx.write(row);
    });
  }

  /**
   * Closes the open tick and calls `start` after all earlier changes are committed and published, or undone.
   * Nothing changes before `start` runs, so its reads of the journal see exactly those changes. Resolves with
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

  /** Number of the newest public envelope. A snapshot taken at a boundary reflects all envelopes up to it. */
  get emittedSeq(): number {
    return this.#emitter.emittedSeq;
  }

  /** Counts bytes that the host read, wrote or sent for an action besides its envelopes. */
  countWork(bytes: number): void {
    this.#emitter.countWork(bytes);
  }

  /**
   * Approximate bytes that the host has written and sent for envelopes. Sending to one subscriber counts a
   * sixteenth of making and journaling an envelope.
   */
  get workBytes(): number {
    return this.#emitter.workBytes;
  }

  /**
   * A number for the snapshots of one response, above all numbers that they reflect and used for no other
   * message. A client that reports this number, or a higher one, has received the response [CONN-5]. Call it
   * at a boundary. Returns the newest public number if none can be reserved.
   */
  nextBoundarySeq(): number {
    return this.sequencer.covers(this.sequencer.following) ? this.sequencer.next() : this.emittedSeq;
  }

  /**
   * Registers an observer, which mirrors changes of one kind of channel in the same transaction. Observers do
   * not get appended text.
   */
  observe<K extends ChannelKind>(kind: K, observer: Observer<K>): void {
    this.#emitter.observe(kind, observer);
  }

  /**
   * A timestamp in ms since the epoch, never below an earlier one [ACT-6]. All envelopes of a cause have the
   * same timestamp, so that private and public ones leave the same `modifiedAt` in every window [CHAT-6].
   */
  stamp(): number {
    return this.#emitter.stamp();
  }

  /**
   * Sends one numbered envelope to one client, without journaling it [ACT-7]. If the commit that the envelope
   * waits for fails, `dropped` runs instead.
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
