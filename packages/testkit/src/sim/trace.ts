/** Detail of a trace: steps and events of the host, or every frame as well. */
export type TraceDetail = 'history' | 'everything';

/** Longer frames are cut in a history. */
const SHOWN_LENGTH = 200;

/** A log of a run for debugging. */
export class Trace {
  readonly lines: string[] = [];
  readonly #detail: TraceDetail | undefined;
  #now: (() => number) | undefined;
  #startedAt = 0;

  /** Without a detail nothing is recorded. */
  constructor(detail?: TraceDetail) {
    this.#detail = detail;
  }

  /** Lines start with the milliseconds since this call. */
  begin(now: () => number): void {
    this.#now = now;
    this.#startedAt = now();
  }

  /** Records a step, or an event of the host or a client. */
  note(who: string, what: string): void {
    if (this.#detail === undefined || this.#now === undefined) return;
    const text = this.#detail === 'history' ? shortened(what) : what;
    this.lines.push(`${this.#now() - this.#startedAt} ${who} ${text}`);
  }

  /** Records a frame, unless the trace is a history. */
  frame(who: string, text: string): void {
    if (this.#detail === 'everything') this.note(who, text);
  }
}

const shortened = (text: string): string =>
  text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text;
