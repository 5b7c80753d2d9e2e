import { errorText } from '@agenthost/protocol/values';
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

/** Longest input, in UTF-16 code units. */
const MAX_LENGTH = 64 * 1024;

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
  const key = await readSecret(context);
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

/** One line of the input, without an echo at a terminal. Rejects when a person gives up with Ctrl-C. */
async function readSecret({ stdin }: Context): Promise<string> {
  stdin.setRawMode?.(true);
  try {
    let text = '';
    for await (const chunk of stdin) {
      for (const character of String(chunk)) {
        if (character === '\r' || character === '\n' || character === '\u0004') return text;
        if (character === '\u0003') throw new CliError(EXIT.error, 'cancelled: the key was not changed');
        text = character === '\u007f' ? text.slice(0, -1) : text + character;
      }
      if (text.length > MAX_LENGTH) throw new CliError(EXIT.error, 'the input is too long for a key');
    }
    return text;
  } finally {
    stdin.setRawMode?.(false);
  }
}
