import type { Gathered } from './output-writer.ts';

/** Queries in one write that are answered: each is a cut in the output. */
const MAX_QUERIES = 64;

/** What was read of a pty and is not written yet; titles aside, which have a pace of their own. */
export class GatheredOutput {
  #events: Gathered[] = [];
  #length = 0;
  #queryCount = 0;
  /** The newest folder that was said. */
  #folder: Gathered | undefined;

  /** Of the text, in UTF-16 code units. */
  get length(): number {
    return this.#length;
  }

  get isEmpty(): boolean {
    return this.#events.length === 0 && this.#folder === undefined;
  }

  /** Adds an event that came at `at`, ms since the epoch. */
  add(event: Gathered['event'], at: number): void {
    if (isFolder(event)) {
      this.#folder = { event, at };
      return;
    }
    if (event.type === 'query') {
      this.#queryCount += 1;
      if (this.#queryCount > MAX_QUERIES) return;
    }
    if (event.type !== 'text') {
      this.#events.push({ event, at });
      return;
    }
    this.#length += event.text.length;
    const last = this.#events.at(-1);
    if (last?.event.type === 'text') {
      const text = last.event.text + event.text;
      this.#events[this.#events.length - 1] = { event: { type: 'text', text }, at: last.at };
    } else {
      this.#events.push({ event, at });
    }
  }

  /** Hands over all of it, in order, the folder last. */
  take(): Gathered[] {
    const events = this.#events;
    if (this.#folder !== undefined) events.push(this.#folder);
    this.#events = [];
    this.#folder = undefined;
    this.#queryCount = 0;
    this.#length = 0;
    return events;
  }
}

/** Of these only the newest counts. */
const isFolder = (event: Gathered['event']): boolean =>
  event.type === 'cwd' || (event.type === 'mark' && event.mark.kind === 'cwd');
