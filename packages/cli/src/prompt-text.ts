import type { Readable } from 'node:stream';
import type { TerminalTraits } from './context.ts';
import { usageError } from './exit.ts';

/** A prompt longer than this would not fit into a frame. */
const limitBytes = 8 * 1024 * 1024;

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
    throw usageError('a prompt is needed: agenthost run "what to do", or pipe one in');
  }
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stdin) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > limitBytes) throw usageError(`the prompt is larger than ${limitBytes / 1024 / 1024} MiB`);
    chunks.push(bytes);
  }
  return notEmpty(Buffer.concat(chunks).toString('utf8').trimEnd());
}

function notEmpty(text: string): string {
  if (text.trim() === '') throw usageError('the prompt is empty');
  return text;
}
