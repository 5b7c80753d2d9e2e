import { closeSync, openSync, readFileSync } from 'node:fs';
import { makePrivate } from '@agenthost/host';
import { CliError, EXIT } from '../process/exit.ts';
import { oneLine } from '../render/plain-text.ts';

/** The file of `--host-tokens`. */
interface HostTokens {
  readonly tokens: Readonly<Record<string, string>>;
  /** Sentences about other users who could read the file. */
  readonly warnings: readonly string[];
}

/** Reads a JSON object of owner's tokens by cell, and makes its file private. Throws a `CliError`, which has no token. */
export function readHostTokens(file: string): HostTokens {
  const fail = (why: string, cause?: unknown): CliError =>
    new CliError(EXIT.error, `--host-tokens: ${oneLine(file)}: ${why}`, { cause });
  let value: unknown;
  let warning: string | undefined;
  try {
    const open = openSync(file, 'r');
    try {
      warning = makePrivate(open, file, 'give the hosts new tokens');
      value = JSON.parse(readFileSync(open, 'utf8'));
    } finally {
      closeSync(open);
    }
  } catch (cause) {
    throw cause instanceof SyntaxError ? fail('expected JSON') : fail('cannot be read', cause);
  }
  const isToken = (text: unknown): text is string =>
    typeof text === 'string' && /^[\x21-\x3a\x3c-\x7e]+$/.test(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw fail('expected an object of tokens by cell');
  const tokens: Record<string, string> = {};
  for (const [cell, token] of Object.entries(value)) {
    if (!isToken(token)) throw fail(`${cell}: expected a token of printable ASCII`);
    tokens[cell] = token;
  }
  return { tokens, warnings: warning === undefined ? [] : [warning] };
}
