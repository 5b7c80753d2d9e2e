import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import { errorCode, errorText } from '@agenthost/protocol/values';
import { PtyError, type PtySpec } from '../pty.ts';

/** The PATH of `execvpe` when the environment has none. */
const DEFAULT_PATH = '/usr/local/bin:/bin:/usr/bin';

/**
 * Checks a spec before the fork, because a forked process can report an error only as an exit code. Resolves with the absolute path of the
 * program. Rejects with `PtyError` when the program is missing or not executable, when the folder does not exist, or when a text contains a
 * NUL character.
 */
export async function checkSpec(spec: PtySpec): Promise<string> {
  const texts = [...spec.command, spec.cwd, ...Object.entries(spec.env).flat()];
  if (texts.some((text) => text.includes('\0'))) {
    throw new PtyError('a command, its folder and its environment cannot hold a NUL character', {
      fault: 'spec',
    });
  }
  for (const [name, count] of [['cols', spec.cols] as const, ['rows', spec.rows] as const]) {
    if (!Number.isInteger(count) || count < 1 || count > 0xffff) {
      throw new PtyError(`${name} is ${count}, expected a whole number from 1 to 65535`, { fault: 'spec' });
    }
  }
  if (!isAbsolute(spec.cwd))
    throw new PtyError(`cannot start in ${spec.cwd}: expected an absolute path`, { fault: 'spec' });
  if (!(await isFolder(spec.cwd)))
    throw new PtyError(`cannot start in ${spec.cwd}: it is not a folder that can be entered`, {
      fault: 'spec',
    });
  return findProgram(spec);
}

async function findProgram({ command: [program], cwd, env }: PtySpec): Promise<string> {
  if (program === '') throw new PtyError('the command is empty: name a program', { fault: 'spec' });
  if (program.includes('/')) {
    const path = resolve(cwd, program);
    const fault = await whyNotExecutable(path);
    if (fault !== undefined) throw new PtyError(`cannot run ${program}: ${fault}`, { fault: 'spec' });
    return path;
  }
  for (const folder of (env['PATH'] ?? DEFAULT_PATH).split(delimiter)) {
    const path = resolve(cwd, join(folder, program));
    if ((await whyNotExecutable(path)) === undefined) return path;
  }
  throw new PtyError(`cannot run ${program}: no such program in its PATH`, { fault: 'spec' });
}

async function whyNotExecutable(path: string): Promise<string | undefined> {
  try {
    if (!(await stat(path)).isFile()) return 'it is not a file';
    await access(path, constants.X_OK);
    return undefined;
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return 'no such file';
    return code === 'EACCES'
      ? 'it is not executable for this user'
      : `it cannot be read (${code ?? errorText(error)})`;
  }
}

async function isFolder(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
}
