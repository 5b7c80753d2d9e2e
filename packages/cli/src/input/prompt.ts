import { isUtf8 } from 'node:buffer';
import { readFile, realpath, stat } from 'node:fs/promises';
import { basename, extname, relative, resolve, sep } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type Message, type MessageAttachment, TEXT_LIMITS, type TextSelection } from '@agenthost/protocol';
import { defined, errorCode } from '@agenthost/protocol/values';
import type { Context, TerminalTraits } from '../process/context.ts';
import { type CliError, usageError } from '../process/exit.ts';
import { fileTrouble } from '../process/files.ts';
import { commandLine } from '../process/own-command.ts';
import { oneLine } from '../render/plain-text.ts';

const MAX_PROMPT_LENGTH = TEXT_LIMITS.text.max;

/** No prompt within the limit has more: no character takes more bytes than three. */
const MAX_PROMPT_BYTES = 3 * MAX_PROMPT_LENGTH;

/** The name of a kind of text in messages. */
type TextKind = 'prompt' | 'comment' | 'answer' | 'commit message';

/**
 * The prompt of `run`, or another text of a command: the words given, or what is piped in where they are `-` or absent. Rejects
 * with a usage error when there is none.
 */
export async function promptText(
  words: readonly string[],
  stdin: Readable & TerminalTraits,
  kind: TextKind = 'prompt',
): Promise<string> {
  const isFromInput = words.length === 0 || (words.length === 1 && words[0] === '-');
  if (!isFromInput) return notEmpty(words.join(' '), kind);
  if (stdin.isTTY === true && words.length === 0) {
    const example = kind === 'prompt' ? `: ${commandLine('run "what to do"')}, or pipe it in` : '';
    throw usageError(`${kind === 'answer' ? 'an' : 'a'} ${kind} is required${example}`);
  }
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stdin) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > MAX_PROMPT_BYTES) throw tooLong(`more than ${MAX_PROMPT_BYTES} bytes`, kind);
    chunks.push(bytes);
  }
  return notEmpty(Buffer.concat(chunks).toString('utf8').trimEnd(), kind);
}

function notEmpty(text: string, kind: TextKind): string {
  if (text.trim() === '') throw usageError(`the ${kind} is empty`);
  if (text.length > MAX_PROMPT_LENGTH) throw tooLong(`${text.length} characters`, kind);
  return text;
}

const tooLong = (size: string, kind: TextKind): CliError =>
  usageError(
    `the ${kind} has ${size}, and the maximum is ${MAX_PROMPT_LENGTH} characters${kind === 'prompt' ? ': attach a file with --attach' : ''}`,
  );

/** Largest file that is embedded in the message. */
const MAX_EMBEDDED_BYTES = 8 * 1024 * 1024;

const IMAGE_TYPES: Readonly<Record<string, string>> = {
  '.gif': 'image/gif',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.webp': 'image/webp',
};

/** Where the agent will work, as a `file:` URI, and whether the host is on this machine. */
export interface AttachTarget {
  readonly isOwn: boolean;
  readonly workingDirectory: string | undefined;
}

/**
 * A prompt with files, each `file`, `file:line` or `file:first-last`. What the host can read by itself, in its working directory, is named;
 * images and everything else go along as they are now. Rejects with a usage error for what cannot be read.
 */
export async function withAttachments(
  context: Context,
  text: string,
  files: readonly string[],
  target: AttachTarget,
): Promise<Message> {
  if (files.length === 0) return { text, origin: { kind: 'user' } };
  const attachments: MessageAttachment[] = [];
  for (const given of files) attachments.push(await attachment(context, given, target));
  return { text, origin: { kind: 'user' }, attachments };
}

async function attachment(context: Context, given: string, target: AttachTarget): Promise<MessageAttachment> {
  if (given === '') throw usageError('--attach: expected a file, got nothing');
  if (given.startsWith('ahp-chat:'))
    return { type: 'chat', resource: given, label: `chat ${given.slice(given.lastIndexOf('/') + 1)}` };
  const { path, selection } = await place(context, given);
  const label = labelOf(context.cwd, path);
  const selected = defined({ selection });
  const stats = await stat(path);
  if (stats.isDirectory()) {
    if (!target.isOwn) throw refused(given, "a folder can only be attached on the host's own machine");
    return { type: 'resource', label, uri: pathToFileURL(path).href, displayKind: 'directory' };
  }
  if (!stats.isFile()) throw refused(given, 'is not a regular file');
  if (selection !== undefined && stats.size <= MAX_EMBEDDED_BYTES) await checkLines(given, path, selection);
  const imageType = IMAGE_TYPES[extname(path).toLowerCase()];
  const isNamed = imageType === undefined && (await isInside(path, target));
  if (isNamed) return { type: 'resource', label, uri: pathToFileURL(path).href, ...selected };
  if (stats.size > MAX_EMBEDDED_BYTES) {
    const what = imageType === undefined ? 'a file outside the working directory' : 'an image';
    throw refused(
      given,
      `${what} is sent in the message: the maximum is ${MAX_EMBEDDED_BYTES} bytes, and this file has ${stats.size}`,
    );
  }
  const bytes = await readFile(path).catch((cause: unknown) => {
    throw refused(given, `it cannot be read: ${fileTrouble(cause)}`);
  });
  const textType = isUtf8(bytes) && !bytes.includes(0) ? 'text/plain' : 'application/octet-stream';
  return {
    type: 'embeddedResource',
    label,
    data: bytes.toString('base64'),
    contentType: imageType ?? textType,
    ...(imageType === undefined ? selected : { displayKind: 'image' }),
  };
}

/** Rejects for lines behind the end of a file. */
async function checkLines(given: string, path: string, { range }: TextSelection): Promise<void> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw refused(given, `it cannot be read: ${fileTrouble(cause)}`);
  });
  const lines = text.split(/\r\n|\r|\n/);
  const count = lines.at(-1) === '' ? lines.length - 1 : lines.length;
  if (range.start.line >= count)
    throw refused(given, `the file has only ${count} ${count === 1 ? 'line' : 'lines'}`);
}

/** A file with the whole name, colon included, takes precedence over a file with lines. */
async function place(
  context: Context,
  given: string,
): Promise<{ path: string; selection: TextSelection | undefined }> {
  const whole = resolve(context.cwd, given);
  if (await exists(whole)) return { path: whole, selection: undefined };
  const [, file, first = '', last = first] = /^(.+):(\d{1,9})(?:-(\d{1,9}))?$/.exec(given) ?? [];
  const path = file === undefined ? whole : resolve(context.cwd, file);
  if (!(await exists(path))) throw refused(given, 'the file does not exist');
  const [start, end] = [Number(first), Number(last)];
  if (start < 1) throw refused(given, 'lines are counted from 1');
  if (end < start) throw refused(given, `line ${start} is after line ${end}`);
  const range = { start: { line: start - 1, character: 0 }, end: { line: end, character: 0 } };
  return { path, selection: { range } };
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (errorCode(error) !== undefined) return false;
    throw error;
  }
}

async function isInside(path: string, { isOwn, workingDirectory }: AttachTarget): Promise<boolean> {
  if (!isOwn || workingDirectory === undefined) return false;
  const folder = await realpath(fileURLToPath(workingDirectory));
  const real = await realpath(path);
  return real.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}

function labelOf(cwd: string, path: string): string {
  const fromHere = relative(cwd, path);
  return fromHere === '' || fromHere.startsWith('..') ? basename(path) : fromHere;
}

const refused = (given: string, why: string): CliError => usageError(`--attach ${oneLine(given)}: ${why}`);
