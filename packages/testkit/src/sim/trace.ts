/** How much a trace keeps: steps and what happened to the host, or every frame too. */
export type TraceDetail = 'history' | 'everything';

/** Longer frames are cut in a history. */
const SHOWN_LENGTH = 200;

/** What happened in a run, line by line, for whoever looks for a fault. */
export class Trace {
  readonly lines: string[] = [];
  readonly #detail: TraceDetail | undefined;
  #now: (() => number) | undefined;
  #startedAt = 0;

  /** Without a detail it keeps nothing. */
  constructor(detail?: TraceDetail) {
    this.#detail = detail;
  }

  /** Lines begin with the milliseconds since now. */
  begin(now: () => number): void {
    this.#now = now;
    this.#startedAt = now();
  }

  /** Notes a step, or what happened to a part. */
  note(who: string, what: string): void {
    if (this.#detail === undefined || this.#now === undefined) return;
    const text = this.#detail === 'history' ? shortened(what) : what;
    this.lines.push(`${this.#now() - this.#startedAt} ${who} ${text}`);
  }

  /** Notes what is left out of a history. */
  frame(who: string, text: string): void {
    if (this.#detail === 'everything') this.note(who, text);
  }
}

const shortened = (text: string): string =>
  text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text;
