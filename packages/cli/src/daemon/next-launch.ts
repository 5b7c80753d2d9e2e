import { access } from 'node:fs/promises';
import { isListening, type LocalRecord } from '../host-link/discovery.ts';
import type { Launch } from '../host-link/start-host.ts';
import type { Context } from '../process/context.ts';
import { CliError, EXIT } from '../process/exit.ts';
import { dataFolder } from '../process/files.ts';
import { commandLine } from '../process/own-command.ts';
import { oneLine } from '../render/plain-text.ts';
import { withoutOption, withPort } from './serve-arguments.ts';

/**
 * How to start the next host or standby in place of this one: with its options, port and token, and the environment of this command without the
 * variables that would change those. `tell` gets a line for each option that the next host does not get. Rejects with a `CliError` if the next host would not start.
 */
export async function nextLaunch(
  context: Context,
  host: LocalRecord,
  tell: (line: string) => void,
): Promise<Launch> {
  const { dataDir, args, cwd, pid } = host;
  if (args === undefined || cwd === undefined) {
    const again =
      dataDir === dataFolder(context) ? commandLine('start') : commandLine('start --data <folder>');
    throw new CliError(
      EXIT.error,
      `the host (pid ${pid}) was started by an older version, which does not record its options: \`${commandLine('stop')}\`, then \`${again}\` with the same options`,
    );
  }
  // A second recording would replace the first.
  if (args.includes('--record'))
    tell(
      'the next host records nothing: --record is for one host, and a new recording would replace its file',
    );
  const kept = withoutOption(args, '--record');
  return {
    dataDir,
    args: isListening(host) ? withPort(kept, host.url) : kept,
    cwd: await access(cwd).then(
      () => cwd,
      // The folder was removed. Paths in the arguments are absolute.
      () => context.home,
    ),
    env: environmentOf(context, host),
  };
}

/**
 * AGENTHOST_TOKEN of this command may be the token of a client, which must not become the owner's. The other variables that are left out stand for
 * options: the host had them as arguments, or did not have them.
 */
function environmentOf(
  { env }: Context,
  { pid, token, tokenFrom, passwordFrom }: LocalRecord,
): Context['env'] {
  const {
    AGENTHOST_TOKEN: _token,
    AGENTHOST_JOURNAL: _journal,
    AGENTHOST_JOURNAL_PASSWORD: _password,
    AGENTHOST_PORT: _port,
    ...others
  } = env;
  const password = passwordFrom === undefined ? undefined : env[passwordFrom];
  if (passwordFrom !== undefined && !password)
    throw new CliError(
      EXIT.usage,
      `the host (pid ${pid}) has the password of its database from ${oneLine(passwordFrom)}: set this variable for the next host too`,
    );
  return {
    ...others,
    ...(passwordFrom === undefined ? {} : { [passwordFrom]: password }),
    // Its clients know the token.
    ...(tokenFrom === 'environment' ? { AGENTHOST_TOKEN: token } : {}),
  };
}
