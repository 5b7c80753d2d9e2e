import { posix } from 'node:path';
import { hasCode } from '@agenthost/protocol/values';
import { type OpenFolder, openFileIn, withFolder, withSubfolder } from '../files/open-folder.ts';

/** Where a project says how its worktrees are prepared, relative to the root of the repository. */
export const WORKTREE_FILE = '.agenthost/worktree.json';

const MAX_FILE_BYTES = 64 * 1024;
const MAX_SETUP_LENGTH = 4_096;
const MAX_PATHS = 100;
const MAX_PATH_LENGTH = 1_000;

/** How the worktrees of a project are prepared. */
export interface WorktreeProject {
  /** A command line for the user's shell. Absent: none. */
  readonly setup?: string;
  /** Paths relative to the root, whose content is copied from the checkout that the worktree was made from. */
  readonly copy: readonly string[];
  /** The same, to which the worktree gets links. */
  readonly link: readonly string[];
}

/** A file that cannot be used. The message is for people. */
export class WorktreeFileFault extends Error {
  override readonly name = 'WorktreeFileFault';
}

/** Reads the file of a working tree. `undefined`: it has none. No link is followed. Rejects with `WorktreeFileFault`. */
export async function readWorktreeFile(root: string): Promise<WorktreeProject | undefined> {
  const bytes = await readIn(root);
  return bytes === undefined ? undefined : parseWorktreeFile(bytes.toString('utf8'));
}

async function readIn(root: string): Promise<Buffer | undefined> {
  const [folder = '', name = ''] = WORKTREE_FILE.split('/');
  try {
    return await withFolder(root, (at) => withSubfolder(at, folder, (within) => readSmall(within, name)));
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined;
    if (hasCode(error, 'ELOOP')) throw fault('is a link, and links are not followed');
    throw error;
  }
}

async function readSmall(folder: OpenFolder, name: string): Promise<Buffer> {
  const file = await openFileIn(folder, name);
  try {
    const facts = await file.stat();
    if (!facts.isFile() || facts.size > MAX_FILE_BYTES)
      throw fault(`is no file of at most ${MAX_FILE_BYTES} bytes`);
    return await file.readFile();
  } finally {
    await file.close();
  }
}

/** Throws `WorktreeFileFault` for anything but an object with `setup`, `copy` and `link`. */
export function parseWorktreeFile(text: string): WorktreeProject {
  const fields = fieldsOf(text);
  for (const key of fields.keys())
    if (!['setup', 'copy', 'link'].includes(key))
      throw fault(`has an unknown key ${JSON.stringify(key.slice(0, 50))}`);
  const setup = fields.get('setup');
  if (
    setup !== undefined &&
    (typeof setup !== 'string' || setup.length > MAX_SETUP_LENGTH || setup.includes('\0'))
  )
    throw fault(`\`setup\`: expected a command of at most ${MAX_SETUP_LENGTH} characters`);
  return {
    ...(setup === undefined || setup.trim() === '' ? {} : { setup: setup.trim() }),
    copy: pathsIn(fields.get('copy'), 'copy'),
    link: pathsIn(fields.get('link'), 'link'),
  };
}

function fieldsOf(text: string): Map<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return new Map(Object.entries(value));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw fault(`is no valid JSON: ${error.message}`);
  }
  throw fault('holds no JSON object');
}

function pathsIn(value: unknown, key: string): string[] {
  if (value === undefined) return [];
  if (!Array.isArray(value) || value.length > MAX_PATHS)
    throw fault(`\`${key}\`: expected a list of at most ${MAX_PATHS} paths`);
  return [...new Set(value.map((path: unknown) => pathIn(path, key)))];
}

/** A path below the root, in its shortest form. */
function pathIn(path: unknown, key: string): string {
  if (typeof path !== 'string' || path === '' || path.length > MAX_PATH_LENGTH || /[\\\0]/.test(path))
    throw fault(`\`${key}\`: expected paths, got ${JSON.stringify(path)?.slice(0, 100)}`);
  const normal = posix.normalize(path).replace(/\/$/, '');
  const [first = ''] = normal.split('/');
  if (posix.isAbsolute(path) || first === '..' || first === '.' || first.toLowerCase() === '.git')
    throw fault(`\`${key}\`: ${JSON.stringify(path.slice(0, 100))} is not below the root of the repository`);
  return normal;
}

const fault = (problem: string): WorktreeFileFault => new WorktreeFileFault(`${WORKTREE_FILE} ${problem}`);
