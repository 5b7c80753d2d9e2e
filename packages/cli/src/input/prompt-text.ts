import type { Readable } from 'node:stream';
import { TEXT_LIMITS } from '@agenthost/protocol';
import type { TerminalTraits } from '../process/context.ts';
import { type CliError, usageError } from '../process/exit.ts';
import { commandLine } from '../process/own-command.ts';

const limit = TEXT_LIMITS.text.max;

/** No prompt within the limit has more: no character takes more bytes than three. */
const limitBytes = 3 * limit;

/**
 * The prompt of `run`: the words given, or what is piped in where they are `-` or absent. Rejects with a usage error when
 * there is none.
 */
export async function promptText(
  words: readonly string[],
  stdin: Readable & TerminalTraits,
): Promise<string> {
  const isFromInput = words.length === 0 || (words.length === 1 && words[0] === '-');
  if (!isFromInput) return notEmpty(words.join(' '));
  if (stdin.isTTY === true && words.length === 0) {
    throw usageError(`a prompt is needed: ${commandLine('run "what to do"')}, or pipe one in`);
  }
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stdin) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > limitBytes) throw tooLong(`more than ${limitBytes} bytes`);
    chunks.push(bytes);
  }
  return notEmpty(Buffer.concat(chunks).toString('utf8').trimEnd());
}

function notEmpty(text: string): string {
  if (text.trim() === '') throw usageError('the prompt is empty');
  if (text.length > limit) throw tooLong(`${text.length} characters`);
  return text;
}

const tooLong = (size: string): CliError =>
  usageError(
    `the prompt has ${size}, at most ${limit} characters are taken: give the rest as a file by --attach`,
  );
