import type { Writable } from 'node:stream';
import pc from 'picocolors';
import type { Context, TerminalTraits } from '../process/context.ts';
import { jsonLine } from './plain-text.ts';

/** Marks before lines, by what the locale's character set has. */
export interface Marks {
  readonly done: string;
  readonly failed: string;
  readonly refused: string;
  readonly running: string;
  readonly asks: string;
  readonly dot: string;
}

const UNICODE_MARKS: Marks = { done: '✓', failed: '✗', refused: '⊘', running: '→', asks: '?', dot: '·' };
const ASCII_MARKS: Marks = { done: '+', failed: 'x', refused: '-', running: '>', asks: '?', dot: '-' };

/** Time without output before a status shows. */
const STATUS_DELAY_MS = 1_000;

/** How `Screen.list` shows a list. */
export interface ListLook<T> {
  readonly json?: boolean | undefined;
  /** Said to people when the list is empty. */
  readonly none: string;
  /** The names of the columns of `line`. */
  readonly columns: string;
  line(item: T): string;
  /** What is printed with `json`. Default: the item. */
  value?(item: T): unknown;
}

/** The parts of the process that a screen uses. */
type ScreenContext = Pick<Context, 'env' | 'platform' | 'stdout' | 'stderr'>;

/**
 * What a command shows: answers on stdout, everything else on stderr. When both are the same terminal it keeps them from
 * running into each other. Callers pass plain text only.
 */
export class Screen {
  /** Colours for stdout. */
  readonly outColors: ReturnType<typeof pc.createColors>;
  /** Colours for stderr. */
  readonly colors: ReturnType<typeof pc.createColors>;
  readonly marks: Marks;
  readonly #context: ScreenContext;
  #isShared: boolean;
  #isAtLineStart = true;
  /** The cursor stands behind a question that nobody has answered yet. */
  #isAsking = false;
  #status: { label: string; since: number; isShown: boolean } | undefined;
  #isStatusHeld = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(context: ScreenContext) {
    this.#context = context;
    this.#isShared = context.stdout.isTTY === true && context.stderr.isTTY === true;
    this.outColors = pc.createColors(wantsColors(context, context.stdout));
    this.colors = pc.createColors(wantsColors(context, context.stderr));
    const { env } = context;
    const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || '';
    const hasUnicode = /utf-?8/i.test(locale) || (context.platform === 'darwin' && locale === '');
    this.marks = hasUnicode ? UNICODE_MARKS : ASCII_MARKS;
  }

  /** True when the last text on stdout ended a line. */
  get isAtLineStart(): boolean {
    return this.#isAtLineStart;
  }

  /** Cells in a line of stdout, 80 where that is unknown. */
  get columns(): number {
    return this.#context.stdout.columns ?? 80;
  }

  /** Cells in a line of stdout where somebody looks at it; `undefined` for a file or a pipe, which take lines of any length. */
  get windowColumns(): number | undefined {
    return this.#context.stdout.isTTY === true ? this.columns : undefined;
  }

  /** Text to stdout, as it is. */
  text(text: string): void {
    if (text === '') return;
    this.#hideStatus();
    if (this.#isAsking) this.#endLine();
    this.#context.stdout.write(text);
    this.#isAtLineStart = text.endsWith('\n');
    this.#armStatus();
  }

  /** Bytes to stdout, as they are. */
  bytes(data: Uint8Array): void {
    if (data.length === 0) return;
    this.#hideStatus();
    this.#context.stdout.write(data);
    this.#isAtLineStart = data.at(-1) === 10;
    this.#armStatus();
  }

  /** From now on a note ends the line of stdout before it also where stdout is another place, for all that anybody knows. */
  keepApart(): void {
    this.#isShared = true;
  }

  /** A line to stdout. */
  line(text: string): void {
    this.text(`${text}\n`);
  }

  /** The names of a list's columns, for people: nothing when the output is a file or a pipe. */
  columnNames(text: string): void {
    if (this.#context.stdout.isTTY === true) this.line(text);
  }

  /**
   * A list to stdout: with `json` each item as a line of JSON, else each as a line for people below the names of the columns. An empty list is
   * the note `none` for people.
   */
  list<T>(
    items: readonly T[],
    { json = false, none, columns, line, value = (item) => item }: ListLook<T>,
  ): void {
    if (json) {
      for (const item of items) this.json(value(item));
      return;
    }
    if (items.length === 0) this.note(none);
    else this.columnNames(columns);
    for (const item of items) this.line(line(item));
  }

  /** A value to stdout, as a line of JSON. */
  json(value: unknown): void {
    this.text(jsonLine(value));
  }

  /** A line to stderr. */
  note(text: string): void {
    this.#hideStatus();
    this.#endLine();
    this.#context.stderr.write(`${text}\n`);
    this.#armStatus();
  }

  /** A question to stderr: the answer is typed behind it, and `answered` called then. */
  ask(text: string): void {
    this.status(undefined);
    this.#endLine();
    this.#context.stderr.write(text);
    this.#isAsking = true;
  }

  /** The question's line was ended by the answer. */
  answered(): void {
    this.#isAsking = false;
  }

  /**
   * Says on stderr what is being waited for, when that takes over a second: in a terminal as a line that counts and goes
   * away, else as one line. `undefined`: nothing any more.
   */
  status(label: string | undefined): void {
    if (label === this.#status?.label) return;
    this.#hideStatus();
    clearTimeout(this.#timer);
    this.#status = label === undefined ? undefined : { label, since: performance.now(), isShown: false };
    this.#armStatus();
  }

  /** Shows no status while something else is the matter; what is set meanwhile shows afterwards. */
  holdStatus(isHeld: boolean): void {
    this.#hideStatus();
    clearTimeout(this.#timer);
    this.#isStatusHeld = isHeld;
    if (this.#status !== undefined) this.#status.since = performance.now();
    this.#armStatus();
  }

  #armStatus(): void {
    const status = this.#status;
    if (this.#isStatusHeld || status === undefined || (status.isShown && this.#context.stderr.isTTY !== true))
      return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      const seconds = Math.round((performance.now() - status.since) / 1_000);
      if (this.#context.stderr.isTTY === true) {
        this.#endLine();
        const line = `${status.label} (${seconds} s)`;
        this.#context.stderr.write(`\r\u001b[K${this.colors.dim(line.slice(0, this.columns - 1))}`);
      } else this.#context.stderr.write(`${status.label}\n`);
      status.isShown = true;
      this.#armStatus();
    }, STATUS_DELAY_MS);
    this.#timer.unref();
  }

  #hideStatus(): void {
    if (this.#status?.isShown !== true || this.#context.stderr.isTTY !== true) return;
    this.#context.stderr.write('\r\u001b[K');
    this.#status.isShown = false;
  }

  #endLine(): void {
    if (this.#isAsking) this.#context.stderr.write('\n');
    this.#isAsking = false;
    if (!this.#isShared || this.#isAtLineStart) return;
    this.#context.stdout.write('\n');
    this.#isAtLineStart = true;
  }
}

function wantsColors({ env }: ScreenContext, stream: Writable & TerminalTraits): boolean {
  if (env['NO_COLOR']) return false;
  if (env['FORCE_COLOR']) return env['FORCE_COLOR'] !== '0';
  return stream.isTTY === true && env['TERM'] !== 'dumb';
}
