import { errorText } from '@agenthost/protocol/values';
import { readSecret } from '../input/secret.ts';
import type { Context } from '../process/context.ts';
import { CliError, EXIT, type ExitCode } from '../process/exit.ts';
import { keyFolder } from '../process/files.ts';
import { commandLine, shellWord } from '../process/own-command.ts';
import { oneLine } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';
import { configFileOf } from './serve.ts';

/** Options of `agents key` as parsed. */
export interface SetKeyOptions {
  readonly config?: string;
}

/**
 * `agents key`: stores the key that comes on the input, or removes the stored one if that is empty. It is never shown. Running hosts use it from the
 * next turn on. `needsKey`: an empty input is an error.
 */
export async function setKey(
  context: Context,
  screen: Screen,
  id: string,
  options: SetKeyOptions & { readonly needsKey?: boolean },
): Promise<ExitCode> {
  const isNeeded = options.needsKey === true;
  const [{ readConfig }, { setAgentKey }, { explainConfig }] = await Promise.all([
    import('../serve/config.ts'),
    import('../serve/agent-key.ts'),
    import('../serve/explain.ts'),
  ]);
  const { file, isRequired } = configFileOf(context, options.config);
  const config = await readConfig(file, isRequired).catch((cause: unknown) => {
    throw explainConfig(cause);
  });
  const remark = isNeeded ? 'it is not shown' : 'it is not shown; empty removes it';
  if (context.stdin.isTTY === true) screen.note(`Key of ${oneLine(id)} (${remark}):`);
  const key = await readSecret(context, 'the key');
  if (isNeeded && key.trim() === '')
    throw new CliError(
      EXIT.error,
      `no key was given, and nothing was changed; \`${commandLine(`agents key ${shellWord(id)}`)}\` removes a stored key`,
    );
  try {
    const path = await setAgentKey(config, { id, key, keyFolder: keyFolder(context) });
    screen.note(key.trim() === '' ? `removed ${oneLine(path)}` : `stored in ${oneLine(path)}`);
  } catch (cause) {
    throw new CliError(EXIT.error, oneLine(errorText(cause)), { cause });
  }
  return EXIT.done;
}
