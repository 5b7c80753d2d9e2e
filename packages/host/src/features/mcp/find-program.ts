import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';

/** Thrown for a program that cannot be started because it is not there. */
class ProgramMissing extends Error {
  readonly code = 'ENOENT';
}

/**
 * Checks that the program of a server can be executed. `command`: a path, relative to `cwd`, or a name that is looked up in `path`. Rejects with
 * an error of the code `ENOENT`, whose message names the command.
 */
export async function findProgram(
  command: string,
  { cwd, path = '' }: { readonly cwd: string; readonly path?: string | undefined },
): Promise<void> {
  const isPath = command.includes('/');
  const places = isPath ? [resolve(cwd, command)] : path.split(delimiter).map((each) => join(each, command));
  const found = await Promise.all(places.map(isExecutable));
  if (!found.includes(true))
    throw new ProgramMissing(
      isPath ? `${command} is no program` : `no command ${command} on the PATH of the host`,
    );
}

const isExecutable = (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
