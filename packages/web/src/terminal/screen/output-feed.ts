import type { TerminalHandle } from '@agenthost/client';
import { outputOf, type TerminalCommandPart, type TerminalState } from '@agenthost/protocol';

/** What the feed needs of a terminal of the host. */
export interface FeedSource extends Pick<TerminalHandle, 'attach'> {
  readonly mirror: {
    readonly confirmed: Pick<TerminalState, 'content'>;
    onAction: TerminalHandle['mirror']['onAction'];
  };
}

/** What the feed needs of an emulator. `done` is called after the emulator has read the text. */
export interface FeedTarget {
  write(text: string, done?: () => void): void;
}

/** A command as far as it is known. */
export type CommandNote = Pick<TerminalCommandPart, 'commandId' | 'commandLine' | 'timestamp'>;

/** End of a command. */
export interface CommandEnd {
  readonly commandId: string;
  /** Absent: the shell did not report it. */
  readonly exitCode?: number | undefined;
  readonly durationMs?: number | undefined;
}

/** Told of commands at the moment when the cursor of the emulator is where they begin and end. */
export interface CommandListener {
  /** The screen starts anew, with output that came before. */
  reset(): void;
  /** That output has been read; what follows is new. */
  caughtUp(): void;
  started(command: CommandNote): void;
  finished(end: CommandEnd): void;
}

/** UTF-16 units in one write. An emulator reads a write without a pause: 1,300 lines `y` take about 10 ms. */
const PIECE = 4 * 1024;

/** UTF-16 units that an emulator may hold unread. */
const WINDOW = 16 * PIECE;

/** UTF-16 units that wait here. Beyond it, the screen starts anew with the newest content, as after a reconnect. */
const QUEUE_LIMIT = 4 * 1024 * 1024;

/** Stops what the emulator reads now, and resets it with its scrollback. */
const FULL_RESET = '\u0018\u001bc';

type Queued = string | (() => void);

/** Writes the output of a terminal into an emulator: in order, each unit once, and no faster than the emulator reads. */
export class OutputFeed {
  readonly #source: FeedSource;
  readonly #target: FeedTarget;
  readonly #commands: CommandListener;
  readonly #known = new Set<string>();
  readonly #stopActions: () => void;
  #detach: (() => void) | undefined;
  #queue: Queued[] = [];
  #queuedUnits = 0;
  #unreadUnits = 0;
  #isStopped = false;

  constructor(source: FeedSource, target: FeedTarget, commands: CommandListener) {
    this.#source = source;
    this.#target = target;
    this.#commands = commands;
    this.#stopActions = source.mirror.onAction(({ action }) => {
      if (action.type === 'terminal/commandExecuted') this.#start(action);
      else if (action.type === 'terminal/commandFinished') this.#finish(action);
    });
    this.#attach();
  }

  /** Detaches from the terminal. Unwritten output is dropped. */
  stop(): void {
    this.#isStopped = true;
    this.#stopActions();
    this.#detach?.();
    this.#clear();
  }

  #attach(): void {
    this.#detach?.();
    this.#detach = this.#source.attach({
      onReset: () => this.#restart(),
      onOutput: (text) => {
        this.#enqueue(text);
        if (this.#queuedUnits > QUEUE_LIMIT) this.#attach();
        else this.#pump();
      },
    });
  }

  /** The content of the mirror already includes commands of later envelopes in the same frame; `#known` keeps them from being told twice. */
  #restart(): void {
    this.#clear();
    this.#known.clear();
    this.#enqueue(FULL_RESET);
    this.#queue.push(() => this.#commands.reset());
    for (const part of this.#source.mirror.confirmed.content) {
      if (part.type === 'command') this.#start(part);
      this.#enqueue(outputOf(part));
      if (part.type === 'command' && part.isComplete) this.#finish(part);
    }
    this.#tell(() => this.#commands.caughtUp());
  }

  #start({ commandId, commandLine, timestamp }: CommandNote): void {
    if (this.#known.has(commandId)) return;
    this.#known.add(commandId);
    this.#tell(() => this.#commands.started({ commandId, commandLine, timestamp }));
  }

  #finish({ commandId, exitCode, durationMs }: CommandEnd): void {
    this.#tell(() => this.#commands.finished({ commandId, exitCode, durationMs }));
  }

  #tell(event: () => void): void {
    this.#queue.push(event);
    this.#pump();
  }

  #enqueue(text: string): void {
    if (text === '') return;
    this.#queuedUnits += text.length;
    const last = this.#queue.at(-1);
    if (typeof last === 'string' && last.length < PIECE) this.#queue[this.#queue.length - 1] = last + text;
    else this.#queue.push(text);
  }

  #clear(): void {
    this.#queue = [];
    this.#queuedUnits = 0;
  }

  #pump(): void {
    while (!this.#isStopped && this.#unreadUnits < WINDOW) {
      const next = this.#queue.shift();
      if (next === undefined) return;
      if (typeof next !== 'string') {
        this.#target.write('', () => !this.#isStopped && next());
        continue;
      }
      const piece = next.slice(0, PIECE);
      if (piece.length < next.length) this.#queue.unshift(next.slice(PIECE));
      this.#queuedUnits -= piece.length;
      this.#unreadUnits += piece.length;
      this.#target.write(piece, () => {
        this.#unreadUnits -= piece.length;
        this.#pump();
      });
    }
  }
}
