import { randomUUID } from 'node:crypto';
import type { TerminalHandle } from '@agenthost/client';
import { channelUri, hasExited } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { withHost } from '../../host-link/connect.ts';
import type { Connected } from '../../host-link/connect-target.ts';
import type { HostOptions } from '../../host-link/find-host.ts';
import { errorSentence } from '../../host-link/host-errors.ts';
import { idOf } from '../../input/ids.ts';
import { folderFor } from '../../input/session-options.ts';
import type { Context } from '../../process/context.ts';
import { CliError, EXIT, usageError } from '../../process/exit.ts';
import { oneLine } from '../../render/plain-text.ts';
import type { Screen } from '../../render/screen.ts';
import { giveBack } from '../../term/holding.ts';
import { prefixKey } from '../../term/keys.ts';
import { sizeOf, variablesOf, type WindowSize, windowOf } from '../../term/window.ts';
import { attachTo, demandWindow } from './attach.ts';

/** Common options of `term new` and `term run`, as parsed. */
export interface NewTerminalOptions extends HostOptions {
  readonly name?: string;
  readonly cwd?: string;
  readonly env?: readonly string[];
  readonly size?: string;
}

/** Options of `term new` as parsed. */
export interface TermNewOptions extends NewTerminalOptions {
  readonly detach?: boolean;
  readonly detachKey: string;
  readonly json?: boolean;
}

/** `term new`: makes a terminal, and shows it here or leaves it alone. */
export async function newTerminal(
  context: Context,
  screen: Screen,
  command: readonly string[],
  options: TermNewOptions,
): Promise<number> {
  const prefix = prefixKey(options.detachKey);
  demandProgram(command);
  const isDetached = options.detach === true || options.json === true;
  const wanted = wantedTerminal(context, options);
  if (!isDetached) demandWindow(context, 'add --detach to create one without a window');
  return withHost(context, screen, options, async (connected) => {
    const terminal = await createTerminal(context, connected, { ...wanted, command });
    if (!isDetached) {
      const code = await attachTo({ context, screen, ...connected, terminal, prefix, claims: false });
      // The user has seen the end of its output. A detached terminal stays.
      if (hasExited(terminal.state)) await terminal.dispose();
      return code;
    }
    await giveBack(terminal, undefined);
    if (options.json === true) screen.json({ type: 'created', terminal: terminal.uri });
    else screen.line(oneLine(idOf(terminal.uri)));
    return EXIT.done;
  });
}

/** An empty word, mostly of a variable that is not set, is no program. Throws a usage error. */
export function demandProgram([program]: readonly string[]): void {
  if (program === '') throw usageError('expected a program, got nothing');
}

/** A terminal as the command line asks for it. */
export interface WantedTerminal {
  readonly name: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly size: WindowSize | undefined;
  /** Folder as given. */
  readonly folder: string | undefined;
}

/** Reads options; throws a usage error. */
export function wantedTerminal(context: Context, options: NewTerminalOptions): WantedTerminal {
  if (options.cwd === '') throw usageError('--cwd: expected a folder, got nothing');
  if (options.name?.trim() === '') throw usageError('--name: expected a title, got nothing');
  return {
    name: options.name,
    env: variablesOf(options.env ?? []),
    size: options.size === undefined ? windowOf(context) : sizeOf(options.size),
    folder: options.cwd,
  };
}

/** Makes a terminal held by this client. Rejects with a `CliError` when the host refuses. */
export async function createTerminal(
  context: Context,
  { client, target }: Connected,
  { name, env, size, folder, command }: WantedTerminal & { readonly command: readonly string[] },
): Promise<TerminalHandle> {
  const cwd = await folderFor(context, folder, target);
  const uri = channelUri('terminal', randomUUID().replaceAll('-', ''));
  try {
    return await client.createTerminal({
      ...(command.length === 0 ? {} : { command }),
      uri,
      env,
      ...defined({ name, cwd }),
      ...size,
    });
  } catch (cause) {
    if (!(cause instanceof Error) || cause.name !== 'RpcError') throw cause;
    throw new CliError(EXIT.error, `no terminal: ${oneLine(errorSentence(cause), 300)}`, { cause });
  }
}
