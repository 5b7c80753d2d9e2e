import type { Context } from '../process/context.ts';
import { usageError } from '../process/exit.ts';
import { oneLine } from '../render/plain-text.ts';

/** A size in characters and lines. */
export interface WindowSize {
  readonly cols: number;
  readonly rows: number;
}

const most = 65_535;

/** `--size 120x40`. Throws a usage error. */
export function sizeOf(given: string): WindowSize {
  const [, cols = 0, rows = 0] = (/^(\d{1,5})x(\d{1,5})$/i.exec(given) ?? []).map(Number);
  if (cols < 1 || rows < 1 || cols > most || rows > most) {
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
