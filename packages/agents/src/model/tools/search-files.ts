import { spawn } from 'node:child_process';
import { isAbsolute, relative, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { errorText, hasCode } from '@agenthost/protocol/values';
import { confinedPath } from '../../working-files/confined-path.ts';
import { FileRefusal } from '../../working-files/file-refusal.ts';
import { readWorkingFile } from '../../working-files/read-file.ts';
import { codeSpan } from './code-span.ts';
import { flagIn, optionalText, textIn } from './input.ts';
import { type ModelTool, succeed, ToolFailure, type ToolRun } from './tool.ts';
import { walk } from './walk.ts';

/** Lines that are returned. */
const MAX_LINES = 200;
/** Longest line, in UTF-16 code units. */
const MAX_LINE_LENGTH = 300;
/** Largest file that is searched without ripgrep, in bytes. */
const MAX_FILE_BYTES = 2 * 1024 * 1024;

interface Search {
  readonly pattern: string;
  readonly path: string;
  readonly glob: string | undefined;
  readonly ignoresCase: boolean;
}

/** Searches the text of files, by ripgrep where it is installed. */
export const searchFilesTool: ModelTool = {
  name: 'search_files',
  displayName: 'Search files',
  kind: 'search',
  description: `Searches the text of files by a regular expression (syntax of ripgrep). Returns lines as path:line:text, at most ${MAX_LINES}. Ignored files are left out.`,
  inputSchema: {
    type: 'object',
    properties: {
      pattern: { type: 'string' },
      path: { type: 'string', description: 'a file or folder; default: the working directory' },
      glob: { type: 'string', description: 'only files that match, such as "*.ts"' },
      ignoreCase: { type: 'boolean' },
    },
    required: ['pattern'],
  },
  async run(input, run) {
    const search: Search = {
      pattern: textIn(input, 'pattern'),
      path: optionalText(input, 'path') ?? '.',
      glob: optionalText(input, 'glob'),
      ignoresCase: flagIn(input, 'ignoreCase'),
    };
    const what = codeSpan(search.pattern);
    run.handle.run({ invocationMessage: { markdown: `Search ${what}` }, toolInput: run.toolInput });
    // Rejects for a path outside.
    const real = await confinedPath(run.folder, search.path);
    const found = (await byRipgrep(search, real, run)) ?? (await byWalk(search, run));
    const { lines, note } = found;
    const rest = lines.length > MAX_LINES ? ['(there are more: narrow the search)'] : [];
    const shown = [...(note === undefined ? [] : [note]), ...lines.slice(0, MAX_LINES), ...rest];
    return succeed(run, {
      past: { markdown: `Searched ${what}` },
      text: shown.length === 0 ? '(nothing found)' : shown.join('\n'),
    });
  },
};

interface Found {
  readonly lines: readonly string[];
  readonly note?: string;
}

/** `undefined`: ripgrep is not installed. */
async function byRipgrep(search: Search, real: string, run: ToolRun): Promise<Found | undefined> {
  const { folder, signal } = run;
  const args = ['--no-config', '--line-number', '--no-heading', '--with-filename', '--null', '--color=never'];
  if (search.ignoresCase) args.push('--ignore-case');
  if (search.glob !== undefined) args.push('--glob', search.glob);
  const child = spawn('rg', [...args, '--regexp', search.pattern, '--', real], {
    cwd: folder.path,
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
  });
  const ended = new Promise<number>((resolveEnd, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolveEnd(code ?? 0));
  });
  // It rejects before it is awaited when the program does not exist.
  ended.catch(() => undefined);
  let errors = '';
  child.stderr.on('data', (data: Buffer) => {
    errors = (errors + data.toString('utf8')).slice(0, 2_000);
  });
  const privacy = new Map<string, Promise<boolean>>();
  const isPrivate = (path: string): Promise<boolean> => {
    const known = privacy.get(path) ?? folder.isPrivate(path);
    privacy.set(path, known);
    return known;
  };
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    const [path = '', rest = ''] = line.split('\0', 2);
    if (path === '' || (await isPrivate(path))) continue;
    lines.push(cut(`${shownPath(path, folder.path)}:${rest}`));
    if (lines.length <= MAX_LINES) continue;
    child.kill();
    break;
  }
  try {
    // 1: nothing was found. 2: some file could not be read, or the pattern is invalid.
    const code = await ended;
    if (code === 2 && lines.length === 0) throw new ToolFailure(errors.trim() || 'ripgrep failed');
    return { lines };
  } catch (error) {
    signal.throwIfAborted();
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error instanceof ToolFailure ? error : new ToolFailure(errorText(error));
  }
}

/** Searches for plain text: a regular expression of a model could block this process. */
async function byWalk(search: Search, run: ToolRun): Promise<Found> {
  const wanted = search.ignoresCase ? search.pattern.toLowerCase() : search.pattern;
  const lines: string[] = [];
  for await (const file of filesOf(search, run)) {
    const text = await readWorkingFile(run.folder, file, MAX_FILE_BYTES).catch((error: unknown) => {
      if (error instanceof FileRefusal) return '\0';
      throw error;
    });
    if (text.includes('\0')) continue;
    for (const [index, line] of text.split('\n').entries()) {
      const searched = search.ignoresCase ? line.toLowerCase() : line;
      if (searched.includes(wanted)) lines.push(cut(`${file}:${index + 1}:${line}`));
    }
    if (lines.length > MAX_LINES) break;
  }
  return { lines, note: '(ripgrep is not installed here: the pattern was searched as plain text)' };
}

async function* filesOf({ path, glob }: Search, { folder, signal }: ToolRun): AsyncGenerator<string> {
  try {
    yield* walk(folder, path, glob, signal);
  } catch (error) {
    // The path is a file.
    if (!(error instanceof FileRefusal) || error.isMissing) throw error;
    yield path;
  }
}

function shownPath(path: string, folder: string): string {
  const shown = relative(folder, resolve(folder, path));
  return shown.startsWith('..') || isAbsolute(shown) ? path : shown;
}

const cut = (line: string): string =>
  line.length > MAX_LINE_LENGTH ? `${line.slice(0, MAX_LINE_LENGTH)}…` : line;
