import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { ToolCallQuestion, ToolKind } from '../agents/tool-call.ts';
import { isWithin } from '../workspace/real-path.ts';
import { realPathOf } from './files.ts';

/** Limits of what is searched for paths. A call with more is taken for one that leaves the worktree. */
const MAX_INPUT_LENGTH = 1024 * 1024;
const MAX_WORDS = 10_000;
/** Longest path that is shown, in UTF-16 code units. */
const MAX_SHOWN_LENGTH = 200;

/** Files that programs use everywhere, without an effect. */
const HARMLESS: ReadonlySet<string> = new Set([
  '/dev/null',
  '/dev/stdin',
  '/dev/stdout',
  '/dev/stderr',
  '/dev/tty',
  '/dev/zero',
  '/dev/urandom',
]);
/** Folders of programs. Naming one runs it. */
const PROGRAM_FOLDERS = ['/bin', '/sbin', '/usr/bin', '/usr/sbin', '/usr/local/bin', '/opt/homebrew/bin'];

/** Where an isolated chat works. Real paths. */
interface Place {
  readonly kind: ToolKind;
  /** Its working directory. `undefined` if that is gone. */
  readonly folder: string | undefined;
  /** The folders that calls may name. */
  readonly isolated: readonly string[];
}

/**
 * The paths outside of an isolated chat's folders that a call names, as written, each once: in its edits, its locations and its input. Words of
 * a command count as paths if they begin as one. A command can reach other files without naming them.
 */
export function pathsOutside(
  question: ToolCallQuestion,
  { kind, folder, isolated }: Place,
): readonly string[] {
  const { edits = [], meta, toolInput = '' } = question;
  const uris = [...edits.flatMap(({ before, after }) => [before?.uri, after?.uri]), ...locationsIn(meta)];
  const found = new Set<string>();
  for (const uri of uris) {
    // A content URI holds the earlier text of a file, and names none.
    if (uri === undefined || !/^file:/i.test(uri)) continue;
    const real = realPathOf(uri);
    if (real === undefined || !isInside(real, isolated)) found.add(shown(uri.replace(/^file:\/\//i, '')));
  }
  const words = toolInput.length > MAX_INPUT_LENGTH ? undefined : wordsOf(toolInput, kind);
  if (words === undefined) return [...found, 'an input that is too long to search'];
  for (const word of words) {
    const path = pathOf(word, folder);
    if (path === undefined || HARMLESS.has(path)) continue;
    if (PROGRAM_FOLDERS.some((programs) => isWithin(path, programs))) continue;
    const real = realPathOf(pathToFileURL(path).href);
    if (real === undefined || !isInside(real, isolated)) found.add(shown(word));
  }
  return [...found];
}

const isInside = (real: string, folders: readonly string[]): boolean =>
  folders.some((folder) => isWithin(real, folder));

const shown = (path: string): string =>
  path.length > MAX_SHOWN_LENGTH ? `${path.slice(0, MAX_SHOWN_LENGTH)}…` : path;

/** The URIs in `locations` of a call's metadata. */
function locationsIn(meta: Readonly<Record<string, unknown>> | undefined): string[] {
  const locations = meta?.['locations'];
  if (!Array.isArray(locations)) return [];
  return locations.flatMap((location: unknown) => {
    const uri = isRecord(location) ? location['uri'] : undefined;
    return typeof uri === 'string' ? [uri] : [];
  });
}

/** Texts of an input that may be paths. `undefined`: there are too many. */
function wordsOf(input: string, kind: ToolKind): readonly string[] | undefined {
  const texts = textsIn(input);
  const words = new Set<string>();
  for (const { key, text } of texts) {
    const isCommand = kind === 'execute' || /^(command|cmd|script|args)$/i.test(key);
    for (const word of isCommand ? text.split(/[\s"'`;|&<>()={},]+/) : [text]) words.add(word);
    if (words.size > MAX_WORDS) return undefined;
  }
  return [...words];
}

interface NamedText {
  readonly key: string;
  readonly text: string;
}

/** All texts in an input: those of a JSON value with the names of their fields, else the input itself. */
function textsIn(input: string): NamedText[] {
  const texts: NamedText[] = [];
  const collect = (key: string, value: unknown): void => {
    if (typeof value === 'string') texts.push({ key, text: value });
    else if (Array.isArray(value)) for (const each of value) collect(key, each);
    else if (isRecord(value)) for (const [name, each] of Object.entries(value)) collect(name, each);
  };
  try {
    collect('', JSON.parse(input));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    texts.push({ key: '', text: input });
  }
  return texts;
}

/** The absolute path that a word names. `undefined`: it is none, or stays below the working directory by its text. */
function pathOf(word: string, folder: string | undefined): string | undefined {
  if (word.includes('\0') || word.includes('\n') || word.length > 4_096) return undefined;
  if (/^file:\/\//i.test(word)) return pathOfUri(word);
  const home = /^(?:~|\$HOME|\$\{HOME\})(?=\/|$)/.exec(word)?.[0];
  if (home !== undefined) return join(homedir(), word.slice(home.length));
  if (word.startsWith('/')) return isOnDisk(word) ? resolve(word) : undefined;
  if (folder === undefined) return undefined;
  const isPath = word === '..' || word.startsWith('../') || word.includes('/../') || word.endsWith('/..');
  if (isPath) return resolve(folder, word);
  // A relative path may lead outside through a link.
  return word !== '' && word.includes('/') && !word.includes('://') ? resolve(folder, word) : undefined;
}

function pathOfUri(uri: string): string | undefined {
  try {
    return fileURLToPath(uri);
  } catch {
    // No file of this machine.
    return undefined;
  }
}

/** Whether the first folder of an absolute path exists. Patterns such as `/x/d` begin with a slash too. */
function isOnDisk(path: string): boolean {
  const first = resolve(path).split(sep, 2)[1];
  if (first === undefined || first === '') return true;
  return existsSync(`/${first}`);
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
