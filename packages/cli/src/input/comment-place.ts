import { stat } from 'node:fs/promises';
import { isAbsolute, posix, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Annotation, TextRange, URI } from '@agenthost/protocol';
import { errorCode } from '@agenthost/protocol/values';
import type { Context } from '../process/context.ts';
import { usageError } from '../process/exit.ts';
import { oneLine } from '../render/plain-text.ts';

/** A file, and lines of it. */
interface CommentPlace {
  readonly resource: URI;
  readonly range?: TextRange;
}

/**
 * The place that `file`, `file:line` or `file:first-last` names. On the host's own machine a relative path counts from the current folder, or
 * from the folder of the session if the current one has no such file; elsewhere from the folder of the session. Rejects with a usage error.
 */
export async function commentPlace(
  { cwd }: Context,
  given: string,
  { isOwn, folder }: { readonly isOwn: boolean; readonly folder: URI | undefined },
): Promise<CommentPlace> {
  const [, file = given, first, last = first] = /^(.+?)(?::(\d{1,9})(?:-(\d{1,9}))?)?$/s.exec(given) ?? [];
  const whole = isOwn ? await existing(cwd, given, folder) : undefined;
  if (whole !== undefined) return { resource: pathToFileURL(whole).href };
  const path = isOwn ? await existing(cwd, file, folder) : inFolder(folder, file);
  if (path === undefined) throw refused(given, isOwn ? 'the file does not exist' : 'give the whole path');
  const resource = pathToFileURL(path).href;
  if (first === undefined) return { resource };
  const [start, end] = [Number(first), Number(last)];
  if (start < 1) throw refused(given, 'lines are counted from 1');
  if (end < start) throw refused(given, `line ${start} is after line ${end}`);
  return { resource, range: { start: { line: start - 1, character: 0 }, end: { line: end, character: 0 } } };
}

async function existing(cwd: string, file: string, folder: URI | undefined): Promise<string | undefined> {
  const inSession = inFolder(folder, file);
  for (const path of [resolve(cwd, file), ...(inSession === undefined ? [] : [inSession])])
    if (await isFile(path)) return path;
  return undefined;
}

/** The host may run on another kind of machine, but its paths are absolute POSIX paths in URIs. */
function inFolder(folder: URI | undefined, file: string): string | undefined {
  if (isAbsolute(file)) return file;
  return folder === undefined ? undefined : posix.resolve(fileURLToPath(folder), file);
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch (error) {
    if (errorCode(error) !== undefined) return false;
    throw error;
  }
}

/** The place of a comment for people: the path from the folder of its session, and its lines from 1. */
export function placeText({ resource, range }: Annotation, folder: URI | undefined): string {
  const path = shownPath(resource, folder);
  if (range === undefined) return path;
  const { start, end } = range;
  const first = start.line + 1;
  const last = end.character === 0 && end.line > start.line ? end.line : end.line + 1;
  return last <= first ? `${path}:${first}` : `${path}:${first}-${last}`;
}

function shownPath(resource: URI, folder: URI | undefined): string {
  try {
    const path = fileURLToPath(resource);
    const fromFolder = folder === undefined ? path : relative(fileURLToPath(folder), path);
    return fromFolder === '' || fromFolder.startsWith('..') ? path : fromFolder;
  } catch {
    // No path of this machine: it stays as it is.
    return resource;
  }
}

const refused = (given: string, why: string): Error => usageError(`${oneLine(given)}: ${why}`);
