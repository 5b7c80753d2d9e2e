import type { Context } from '../process/context.ts';
import { CliError, EXIT } from '../process/exit.ts';

/** Longest input, in UTF-16 code units. */
const MAX_LENGTH = 64 * 1024;

/**
 * One line of the input, without an echo at a terminal. `what`: what is read, such as `the key`. Rejects with a `CliError` when a person gives up with
 * Ctrl-C, and for an input that is too long.
 */
export async function readSecret({ stdin }: Context, what: string): Promise<string> {
  stdin.setRawMode?.(true);
  try {
    let text = '';
    for await (const chunk of stdin) {
      for (const character of String(chunk)) {
        if (character === '\r' || character === '\n' || character === '\u0004') return text;
        if (character === '\u0003') throw new CliError(EXIT.error, `cancelled: ${what} was not changed`);
        text = character === '\u007f' ? text.slice(0, -1) : text + character;
      }
      if (text.length > MAX_LENGTH) throw new CliError(EXIT.error, `the input is too long for ${what}`);
    }
    return text;
  } finally {
    stdin.setRawMode?.(false);
  }
}
