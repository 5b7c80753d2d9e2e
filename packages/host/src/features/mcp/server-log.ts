import type { McpLogLine } from '@agenthost/protocol';
import type { Clock } from '../../lib/clock.ts';

const MAX_LINES = 100;
const MAX_LENGTH = 1_000;

/** The last lines that a server has written, for people. In memory only. */
export class ServerLog {
  readonly #clock: Clock;
  readonly #lines: McpLogLine[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Oldest first. */
  get lines(): readonly McpLogLine[] {
    return this.#lines;
  }

  /** Adds a text, one entry for each of its lines. */
  add(level: string, text: string): void {
    const at = new Date(this.#clock.now()).toISOString();
    for (const line of text.split('\n').slice(-MAX_LINES))
      if (line.trim() !== '')
        this.#lines.push({ at, level: level.slice(0, 20), text: line.slice(0, MAX_LENGTH) });
    this.#lines.splice(0, this.#lines.length - MAX_LINES);
  }
}
