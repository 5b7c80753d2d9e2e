import { outputLength, type TerminalState } from '@agenthost/protocol';
import { OutputParser } from '../pty/output/parser.ts';
import type { Pty, PtyExit } from '../pty/pty.ts';
import type { Channel } from '../sync/channel.ts';
import { Answers } from './answers.ts';
import { OutputPace } from './output-pace.ts';
import { OutputQueue } from './output-queue.ts';
import { type Gathered, OutputWriter } from './output-writer.ts';
import type { TerminalParts } from './parts.ts';
import { ScrollbackKeeper } from './scrollback-keeper.ts';
import { TitlePace } from './title-pace.ts';
import { ViewerPace } from './viewer-pace.ts';

/** So much output that shows nothing may be unacknowledged. */
const SILENT_BYTES = 64 * 1024;

/** Queries in one write that are answered: each is a cut in the output. */
const MAX_QUERIES = 64;

/** A snapshot is written after so much output, in UTF-16 code units, or up to twice as much: loading reads it and what came since. */
const SNAPSHOT_LENGTH = 4 * 1024 * 1024;

/** Brings one pty and one channel together: what it puts out becomes actions, what is typed reaches it. */
export class TerminalRunner {
  readonly pty: Pty;
  /** Resolves when the process has ended and everything that it put out is in the channel, if that is still there. */
  readonly ended: Promise<PtyExit>;
  readonly #parts: TerminalParts;
  readonly #channel: Channel<'terminal'>;
  readonly #parser: OutputParser;
  readonly #answers: Answers;
  readonly #scrollback: ScrollbackKeeper;
  readonly #viewers: ViewerPace;
  readonly #queue: OutputQueue;
  readonly #pace: OutputPace;
  readonly #titles: TitlePace;
  readonly #unpin: () => void;
  readonly #setEnded: (exit: PtyExit) => void;
  #gathered: Gathered[] = [];
  #gatheredLength = 0;
  #queryCount = 0;
  /** The newest folder that was said. */
  #folder: Gathered | undefined;
  /** Everything before this byte is in `#gathered` or was written. */
  #offset: number;
  /** Everything before this byte is in the journal. */
  #committed: number;
  #lengthSinceSnapshot = 0;
  #isDetached = false;

  /** The channel stays in memory until the process has ended. */
  constructor(parts: TerminalParts, channel: Channel<'terminal'>, pty: Pty) {
    this.#parts = parts;
    this.#channel = channel;
    this.pty = pty;
    const { offset, nonce } = channel.local;
    this.#offset = offset;
    this.#parser = new OutputParser(nonce === undefined ? {} : { nonce });
    this.#queue = new OutputQueue(parts.timers, (bytes, offset) => this.#read(bytes, offset));
    this.#pace = new OutputPace(parts.timers, () => this.#write());
    this.#titles = new TitlePace(parts.timers, () => this.#write());
    this.#answers = new Answers(parts, pty);
    this.#viewers = new ViewerPace(parts, channel, () => this.#acknowledge());
    this.#scrollback = new ScrollbackKeeper(parts, channel, () => this.#acknowledge());
    this.#committed = offset;
    this.#unpin = channel.pin();
    const { promise, resolve } = Promise.withResolvers<PtyExit>();
    this.ended = promise;
    this.#setEnded = resolve;
  }

  /** Begins to read, where the channel stands. Once. */
  start(): void {
    // What was loaded is as long as it became since its last snapshot, and counts for the next.
    this.#lengthSinceSnapshot = outputLength(this.#channel.state);
    this.#parts.sync.path.transact('host', () => {
      if (this.#channel.isAlive) this.#scrollback.trim();
    });
    const { heldTitle } = this.#channel.local;
    if (heldTitle !== undefined) this.#titles.said(heldTitle);
    this.pty.read(this.#offset, {
      data: (bytes, offset) => this.#queue.push(bytes, offset),
      exit: (exit) => {
        if (!this.#isDetached) this.#queue.finish(() => this.#end(exit));
      },
    });
    if (heldTitle !== undefined) this.#write();
  }

  /** A client has given it another size. Inside `path.transact` only, behind the action. */
  resized(cols: number, rows: number): void {
    this.#scrollback.resized(cols, rows);
    // In its place among the keys, which reach the pty in front of their echo.
    this.#parts.sync.path.publish(() => this.pty.resize(cols, rows));
  }

  /** A client has cleared it; `content` is what it showed. Inside `path.transact` only, behind the action. */
  cleared(content: TerminalState['content']): void {
    this.#scrollback.cleared(content);
    this.#parts.sync.path.effect(() => this.#answers.forget());
  }

  /** Everything read so far goes into the channel now. */
  flush(): void {
    this.#queue.takeAll();
    this.#pace.flush();
  }

  /** Takes nothing more of the pty: the host stops. */
  detach(): void {
    this.#isDetached = true;
    this.#queue.end();
    this.#pace.end();
    this.#titles.end();
    this.#viewers.end();
    this.#answers.forget();
    this.#unpin();
  }

  #read(bytes: Uint8Array, offset: number): void {
    this.#parts.floods?.took(bytes.length);
    const at = this.#parts.clock.now();
    const missing = offset - this.#offset - this.#parser.pendingBytes;
    if (missing > 0) this.#tellMissing(missing, at);
    this.#add(this.#parser.push(bytes), at);
    this.#offset = offset + bytes.length - this.#parser.pendingBytes;
    // What is taken out of the output has to be acknowledged too.
    const isEmpty = this.#gathered.length === 0 && this.#folder === undefined;
    const isSilent = isEmpty && this.#offset - this.#committed < SILENT_BYTES;
    if (!isSilent) this.#pace.arrived(this.#gatheredLength);
  }

  /** Nobody who looks at the output could tell otherwise: its owner keeps only the newest while no host is there. */
  #tellMissing(bytes: number, at: number): void {
    const { uri } = this.#channel;
    this.#parts.log.warn({ uri, bytes }, 'output of a terminal was dropped while no host was there');
    const told = `${bytes.toLocaleString('en')} bytes of output were dropped while no host was there`;
    // CAN ends a sequence that was cut in its middle.
    this.#add([{ type: 'text', text: `\x18\r\n\x1b[2m[${told}]\x1b[22m\r\n` }], at);
  }

  #add(events: Iterable<Gathered['event']>, at: number): void {
    for (const event of events) {
      if (event.type === 'title') {
        this.#titles.said(event.title);
        continue;
      }
      if (isFolder(event)) {
        this.#folder = { event, at };
        continue;
      }
      if (event.type === 'query') {
        this.#queryCount += 1;
        if (this.#queryCount > MAX_QUERIES) continue;
      }
      if (event.type !== 'text') {
        this.#gathered.push({ event, at });
        continue;
      }
      this.#gatheredLength += event.text.length;
      const last = this.#gathered.at(-1);
      if (last?.event.type === 'text') {
        const text = last.event.text + event.text;
        this.#gathered[this.#gathered.length - 1] = { event: { type: 'text', text }, at: last.at };
      } else {
        this.#gathered.push({ event, at });
      }
    }
  }

  #write(): void {
    const { sync } = this.#parts;
    const gathered = [...this.#gathered];
    if (this.#folder !== undefined) gathered.push(this.#folder);
    const title = this.#titles.take();
    if (title !== undefined) gathered.push({ event: { type: 'title', title }, at: this.#parts.clock.now() });
    const heldTitle = this.#titles.held;
    const length = this.#gatheredLength;
    const offset = this.#offset;
    this.#gathered = [];
    this.#folder = undefined;
    this.#queryCount = 0;
    this.#gatheredLength = 0;
    this.#lengthSinceSnapshot += length;
    const isSnapshotDue = this.#isSnapshotDue();
    if (isSnapshotDue) this.#lengthSinceSnapshot = 0;
    sync.path.transact('host', () => {
      // Removed meanwhile: its process is being ended, and must not wait for anybody to read.
      if (this.#channel.isAlive) {
        const wrote = (text: string): void => this.#scrollback.wrote(text);
        const writer = new OutputWriter(this.#parts, this.#channel, { answers: this.#answers, wrote });
        writer.write(gathered, offset, heldTitle);
        this.#scrollback.trim();
        if (isSnapshotDue) sync.registry.writeSnapshot(this.#channel);
      }
      sync.path.effect(() => {
        this.#committed = offset;
        this.#acknowledge();
      });
    });
  }

  /** A row with what is still to be folded would be loaded as it is: that waits, but not for ever. */
  #isSnapshotDue(): boolean {
    const length = this.#lengthSinceSnapshot;
    return length >= SNAPSHOT_LENGTH && (this.#scrollback.isShort || length >= 2 * SNAPSHOT_LENGTH);
  }

  /** Lets the pty go on, once the scrollback has been folded as far and somebody could look at it. */
  #acknowledge(): void {
    if (!this.#scrollback.isBehind && !this.#viewers.isBehind) this.pty.acknowledge(this.#committed);
  }

  #end(exit: PtyExit): void {
    this.#offset += this.#parser.pendingBytes;
    this.#add(this.#parser.end(), this.#parts.clock.now());
    this.#pace.end();
    this.#write();
    this.#titles.end();
    const { sync } = this.#parts;
    sync.path.transact('host', () => {
      if (this.#channel.isAlive) new OutputWriter(this.#parts, this.#channel).end(exit.exitCode);
      sync.path.effect(() => {
        this.pty.release();
        this.#viewers.end();
        this.#answers.forget();
        this.#unpin();
        this.#setEnded(exit);
      });
    });
  }
}

/** Of these only the newest counts. */
const isFolder = (event: Gathered['event']): boolean =>
  event.type === 'cwd' || (event.type === 'mark' && event.mark.kind === 'cwd');
