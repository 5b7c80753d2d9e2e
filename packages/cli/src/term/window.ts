import type { Context } from '../process/context.ts';
import { usageError } from '../process/exit.ts';
import { cellsOf, cutToCells, oneLine } from '../render/plain-text.ts';

/** A size in characters and lines. */
export interface WindowSize {
  readonly cols: number;
  readonly rows: number;
}

const MAX_SIZE = 65_535;

/** `--size 120x40`. Throws a usage error. */
export function sizeOf(given: string): WindowSize {
  const [, cols = 0, rows = 0] = (/^(\d{1,5})x(\d{1,5})$/i.exec(given) ?? []).map(Number);
  if (cols < 1 || rows < 1 || cols > MAX_SIZE || rows > MAX_SIZE) {
    throw usageError(`--size: expected columns x lines such as 120x40, got ${oneLine(given) || '(nothing)'}`);
  }
  return { cols, rows };
}

/** The window that a command runs in; `undefined` where there is none. */
export function windowOf({ stdout }: Pick<Context, 'stdout'>): WindowSize | undefined {
  const { columns, rows, isTTY } = stdout;
  if (isTTY !== true || !columns || !rows) return undefined;
  return { cols: columns, rows };
}

/** `--env NAME=value`, repeated. Throws a usage error. */
export function variablesOf(given: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    given.map((text) => {
      const [, name, value = ''] = /^([A-Za-z_]\w*)=([^\0]*)$/s.exec(text) ?? [];
      if (name === undefined)
        throw usageError(`--env: expected NAME=value, got ${oneLine(text) || '(nothing)'}`);
      return [name, value];
    }),
  );
}

/**
 * Lines over the upper right corner of a window, reversed, everything else left as it is. They stay until something is shown in
 * their place: a notice covers what is left of the one before, or their words would be read together.
 */
export class NoticeCorner {
  #width = 0;
  #height = 0;

  /** The sequences that show these lines. */
  show(lines: readonly string[], { cols, rows }: WindowSize): string {
    const shown = lines.flatMap((line) => wrapped(line, Math.max(4, cols - 2))).slice(0, rows);
    while (shown.length < Math.min(this.#height, rows)) shown.push('');
    const width = Math.max(Math.min(this.#width, Math.max(4, cols - 2)), ...shown.map(cellsOf));
    this.#width = width;
    this.#height = shown.length;
    const column = Math.max(1, cols - width - 1);
    return shown
      .map((line, index) => {
        const padding = ' '.repeat(width - cellsOf(line));
        return `\u001b7\u001b[${index + 1};${column}H\u001b[0;7m ${line}${padding} \u001b8`;
      })
      .join('');
  }

  /** The window was cleared. */
  forget(): void {
    this.#width = 0;
    this.#height = 0;
  }
}

/** A line as lines of at most so many cells, cut between words. */
function wrapped(line: string, limit: number): string[] {
  const lines: string[] = [];
  let current = '';
  for (const word of line.split(' ')) {
    const longer = current === '' ? word : `${current} ${word}`;
    if (current !== '' && cellsOf(longer) > limit) {
      lines.push(current);
      current = word;
    } else current = longer;
  }
  return [...lines, current].map((text) => cutToCells(text, limit));
}
