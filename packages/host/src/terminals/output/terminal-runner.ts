import type { TerminalState } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { steadyNow } from '../../lib/clock.ts';
import type { OutputEvent } from '../../pty/parser/events.ts';
import { OutputParser } from '../../pty/parser/parser.ts';
import type { Pty, PtyExit } from '../../pty/pty.ts';
import type { Channel } from '../../sync/channel.ts';
import type { TerminalHostData } from '../../sync/host-data.ts';
import type { Tx } from '../../sync/tx.ts';
import type { TerminalParts } from '../parts.ts';
import { HeldOutput } from './held-output.ts';
import { OpenTerminal } from './open-terminal.ts';
import { OutputThrottle } from './output-throttle.ts';
import { OutputWriter } from './output-writer.ts';
import { TitleThrottle } from './title-throttle.ts';
import type { UnwatchedOutput, UnwatchedTerminal } from './unwatched-output.ts';

/** Output without text may stay unacknowledged up to this size. */
const SILENT_BYTES = 64 * 1024;

/** Shortest output between two snapshots, in UTF-16 code units. */
const SNAPSHOT_LENGTH = 1024 * 1024;
/** Output between two snapshots, as a multiple of the scrollback, so that snapshots are a small part of what is written. */
const SNAPSHOT_FACTOR = 4;

/** The share of the output between two snapshots that is worth another one when the channel leaves memory. */
const LEAVING_SNAPSHOT_SHARE = 1 / 16;

/**
 * Connects one pty with one channel: turns output into actions, and passes sizes to the pty. While the channel is not in memory, output
 * waits until a client subscribes or `UnwatchedOutput` loads the channel.
 */
export class TerminalRunner implements UnwatchedTerminal {
  readonly uri: string;
  readonly pty: Pty;
  /** Resolves when the process has ended and the channel, if it still exists, has all its output. */
  readonly ended: Promise<PtyExit>;
  readonly #parts: TerminalParts;
  readonly #unwatched: UnwatchedOutput;
  readonly #parser: OutputParser;
  readonly #held: HeldOutput;
  readonly #output: OutputThrottle;
  readonly #titles: TitleThrottle;
  readonly #setEnded: (exit: PtyExit) => void;
  #hostData: TerminalHostData;
  #open: OpenTerminal | undefined;
  /** The channel leaves memory as soon as all output that was read is durable. */
  #isLettingGo = false;
  /** The process has ended. Its output may still wait. */
  #hasExit = false;
  /** All output before this offset is in `#output` or was written. */
  #offset: number;
  /** All output before this offset is in the journal. */
  #committed: number;
  #isDetached = false;

  /** `hostData`: that of the terminal. The runner has no channel before `open`. */
  constructor(
    parts: TerminalParts & { readonly unwatched: UnwatchedOutput },
    { uri, hostData, pty }: { readonly uri: string; readonly hostData: TerminalHostData; readonly pty: Pty },
  ) {
    this.#parts = parts;
    this.#unwatched = parts.unwatched;
    this.uri = uri;
    this.pty = pty;
    this.#hostData = hostData;
    const { offset, nonce } = hostData;
    this.#offset = offset;
    this.#parser = new OutputParser(defined({ nonce }));
    this.#held = new HeldOutput((bytes, offset) => this.#read(bytes, offset));
    this.#output = new OutputThrottle(parts.timers, () => this.#write());
    this.#titles = new TitleThrottle(parts.timers, () => this.#write());
    if (hostData.heldTitle !== undefined) this.#titles.said(hostData.heldTitle);
    this.#committed = offset;
    const { promise, resolve } = Promise.withResolvers<PtyExit>();
    this.ended = promise;
    this.#setEnded = resolve;
  }

  /** The channel while it is in memory. */
  get channel(): Channel<'terminal'> | undefined {
    return this.#open?.channel;
  }

  /** The host data of the channel, or the last known while the channel is not in memory. */
  get hostData(): TerminalHostData {
    return this.#open?.channel.hostData ?? this.#hostData;
  }

  /** Whether output, an exit or a title waits for a channel that is not in memory. */
  get isWaiting(): boolean {
    if (this.#open !== undefined || this.#isDetached) return false;
    return !this.#held.isEmpty || this.#hasExit || this.#titles.held !== undefined;
  }

  /** Whether output waits to be read, written or folded. */
  get isBusy(): boolean {
    return !this.#held.isEmpty || !this.#output.isEmpty || this.#open?.isCalm === false;
  }

  /** The last use of its channel, by `steadyNow`. */
  get usedAt(): number {
    return this.#open?.channel.usedAt ?? Number.NEGATIVE_INFINITY;
  }

  /** Whether its channel is in memory, has no subscriber, and was not opened since `before`, by `steadyNow`. */
  isUnwatched(before: number): boolean {
    return this.#open?.isUnwatched(before) === true;
  }

  /** Begins to read the pty at the offset of the terminal. Call it once. */
  start(): void {
    if (this.#open === undefined) this.pty.hold(true);
    this.pty.read(this.#offset, {
      data: (bytes, offset) => {
        this.#held.push(bytes, offset);
        if (this.#open === undefined) this.#unwatched.wants(this);
      },
      exit: (exit) => {
        if (this.#isDetached) return;
        this.#hasExit = true;
        this.#held.finish(() => this.#end(exit));
        if (this.#open === undefined) this.#unwatched.wants(this);
      },
    });
    if (this.isWaiting) this.#unwatched.wants(this);
  }

  /** The channel is in memory now: writes the output that waited. Keeps the channel until the process has ended, or until `letGo`. */
  open(channel: Channel<'terminal'>, { isNew = false } = {}): void {
    if (this.#isDetached || this.#open !== undefined) return;
    const pace = { isNew, caughtUp: () => this.#acknowledge() };
    const open = new OpenTerminal(this.#parts, channel, this.pty, pace);
    this.#open = open;
    this.#unwatched.opened(this);
    this.#parts.sync.transact('host', (tx) => {
      if (channel.isAlive) open.trim(tx);
    });
    if (this.#titles.held !== undefined) this.#write();
    this.#goOn();
  }

  /**
   * Lets the channel leave memory once all output that was read is durable. The channel stays if it then has a subscriber or was opened
   * since `before`, by `steadyNow`.
   */
  letGo(before: number): void {
    const open = this.#open;
    if (open === undefined || this.#isLettingGo || this.#hasExit || !open.isUnwatched(before)) return;
    const { sync } = this.#parts;
    this.#isLettingGo = true;
    this.#held.pause();
    this.pty.hold(true);
    if (!this.#isDurable) this.#write();
    sync.transact('host', (tx) => {
      const { channel, scrollback } = open;
      const isWorth = channel.behindLength >= this.#snapshotLength * LEAVING_SNAPSHOT_SHARE;
      if (channel.isAlive && scrollback.isShort && isWorth) sync.registry.writeSnapshot(tx, channel);
      const { seq } = channel;
      tx.effect(() => {
        this.#isLettingGo = false;
        if (this.#open !== open || this.#isDetached) return;
        const isDone = this.#isDurable && channel.seq === seq && !open.answers.isAnswering;
        if (!isDone || !open.isUnwatched(before)) return this.#goOn();
        this.#close();
        sync.registry.unload(channel);
        if (this.isWaiting) this.#unwatched.wants(this);
      });
    });
  }

  /** A client resized the terminal. Call it behind the action. */
  resized(tx: Tx, cols: number, rows: number): void {
    this.#open?.scrollback.resized(tx, cols, rows);
    // In order with typed keys, which reach the pty before their echo is published.
    tx.publish(() => this.pty.resize(cols, rows));
  }

  /** A client cleared the terminal. `content`: the content before. Call it behind the action. */
  cleared(tx: Tx, content: TerminalState['content']): void {
    const open = this.#open;
    open?.scrollback.cleared(tx, content);
    tx.effect(() => open?.answers.forget());
  }

  /** Writes all output that was read, if the channel is in memory. */
  flush(): void {
    if (this.#open === undefined) return;
    this.#held.resume();
    this.#output.flush();
  }

  /** Stops reading the pty, because the host stops. */
  detach(): void {
    this.#isDetached = true;
    this.#held.end();
    this.#output.end();
    this.#titles.end();
    this.#close();
  }

  /** Whether all output that was read is in the journal. */
  get #isDurable(): boolean {
    return this.#output.isEmpty && this.#committed === this.#offset && this.#titles.held === undefined;
  }

  /** Output between two snapshots, in UTF-16 code units; up to twice as much while the scrollback is long. Loading reads the snapshot and the output behind it. */
  get #snapshotLength(): number {
    return Math.max(SNAPSHOT_LENGTH, SNAPSHOT_FACTOR * this.#parts.settings.scrollbackLength());
  }

  /** A snapshot waits until the scrollback is folded, because a load would have to read the whole head. It waits for a limited time. */
  #isSnapshotDue({ channel: { behindLength }, scrollback }: OpenTerminal): boolean {
    const length = this.#snapshotLength;
    return behindLength >= length && (scrollback.isShort || behindLength >= 2 * length);
  }

  #goOn(): void {
    this.pty.hold(false);
    this.#held.resume();
  }

  #close(): void {
    this.#hostData = this.hostData;
    this.#open?.close();
    this.#open = undefined;
    this.#unwatched.closed(this);
  }

  #read(bytes: Uint8Array, offset: number): void {
    const at = this.#parts.clock.now();
    const missing = offset - this.#offset - this.#parser.pendingBytes;
    if (missing > 0) this.#tellMissing(missing, at);
    this.#add(this.#parser.push(bytes), at);
    this.#offset = offset + bytes.length - this.#parser.pendingBytes;
    // Marks and queries have no text, but their bytes must be acknowledged too.
    const isSilent = this.#output.isEmpty && this.#offset - this.#committed < SILENT_BYTES;
    if (!isSilent) this.#output.arrived();
  }

  /** Writes a note into the output: without a host, the owner of the pty keeps only the newest output. */
  #tellMissing(bytes: number, at: number): void {
    const { uri } = this;
    this.#parts.log.warn({ uri, bytes }, 'the keeper dropped output of a terminal while no host was running');
    const told = `${bytes.toLocaleString('en')} bytes of output were dropped while no host was there`;
    // CAN ends an escape sequence that was cut.
    this.#add([{ type: 'text', text: `\x18\r\n\x1b[2m[${told}]\x1b[22m\r\n` }], at);
  }

  #add(events: Iterable<OutputEvent>, at: number): void {
    for (const event of events) {
      if (event.type === 'title') this.#titles.said(event.title);
      else this.#output.add(event, at);
    }
  }

  #write(): void {
    const open = this.#open;
    if (open === undefined) return;
    const { sync } = this.#parts;
    const { channel } = open;
    const { length } = this.#output;
    const events = this.#output.take();
    const title = this.#titles.take();
    if (title !== undefined) events.push({ event: { type: 'title', title }, at: this.#parts.clock.now() });
    const heldTitle = this.#titles.held;
    const offset = this.#offset;
    sync.transact('host', (tx) => {
      // The output of a removed terminal is acknowledged but not written: its process must be able to end.
      if (channel.isAlive) {
        const writer = new OutputWriter(this.#parts, channel, open.answers);
        writer.write(tx, events, offset, heldTitle);
        open.trim(tx);
        sync.registry.fellBehind(tx, channel, length);
        if (this.#isSnapshotDue(open)) sync.registry.writeSnapshot(tx, channel);
      }
      tx.effect(() => {
        this.#committed = offset;
        this.#acknowledge();
      });
    });
  }

  /** Acknowledges output, unless the scrollback or every viewer is behind. */
  #acknowledge(): void {
    if (this.#open?.isBehind === false) this.pty.acknowledge(this.#committed);
  }

  #end(exit: PtyExit): void {
    this.#offset += this.#parser.pendingBytes;
    this.#add(this.#parser.end(), this.#parts.clock.now());
    this.#output.end();
    this.#write();
    this.#titles.end();
    const { sync, clock, unloadAfterMs } = this.#parts;
    const open = this.#open;
    sync.transact('host', (tx) => {
      if (open?.channel.isAlive === true) new OutputWriter(this.#parts, open.channel).end(tx, exit.exitCode);
      tx.effect(() => {
        this.pty.release();
        const isUnwatched = open?.isUnwatched(steadyNow(clock) - unloadAfterMs) === true;
        this.#isDetached = true;
        this.#close();
        // It was loaded only to record the end.
        if (open !== undefined && isUnwatched) sync.registry.unload(open.channel);
        this.#setEnded(exit);
      });
    });
  }
}
