import type { TerminalHandle } from '@agenthost/client';
import type { Connected } from '../../connect.ts';
import { withHost } from '../../connect.ts';
import type { Context } from '../../context.ts';
import { CliError, EXIT } from '../../exit.ts';
import type { HostOptions } from '../../find-host.ts';
import { oneLine } from '../../render/plain-text.ts';
import type { Screen } from '../../render/screen.ts';
import { idOf } from '../../session-ids.ts';
import { giveBack } from '../../term/holding.ts';
import { prefixKey } from '../../term/keys.ts';
import { sizeOf, variablesOf, windowOf } from '../../term/window.ts';
import { folderFor } from '../../working-folder.ts';
import { attachTo, demandWindow } from './attach.ts';

/** What `term new` and `term run` have in common, as parsed. */
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
  const isDetached = options.detach === true || options.json === true;
  if (!isDetached) demandWindow(context, 'add --detach to make one without a window');
  return withHost(context, screen, options, async (connected) => {
    const terminal = await createTerminal(context, connected, command, options);
    if (!isDetached) return attachTo({ context, screen, ...connected, terminal, prefix, claims: false });
    await giveBack(terminal, undefined);
    if (options.json === true) screen.json({ type: 'created', terminal: terminal.uri });
    else screen.line(oneLine(idOf(terminal.uri)));
    return EXIT.done;
  });
}

/** Makes a terminal held by this client. Rejects with a `CliError` when the host refuses. */
export async function createTerminal(
  context: Context,
  { client, target }: Connected,
  command: readonly string[],
  options: NewTerminalOptions,
): Promise<TerminalHandle> {
  const size = options.size === undefined ? windowOf(context) : sizeOf(options.size);
  const env = variablesOf(options.env ?? []);
  const cwd = await folderFor(context, options.cwd, target);
  try {
    return await client.createTerminal({
      ...(command.length === 0 ? {} : { command }),
      ...(Object.keys(env).length === 0 ? {} : { env }),
      ...(options.name === undefined ? {} : { name: options.name }),
      ...(cwd === undefined ? {} : { cwd }),
      ...size,
    });
  } catch (cause) {
    if (!(cause instanceof Error) || cause.name !== 'RpcError') throw cause;
    throw new CliError(EXIT.error, `no terminal: ${oneLine(cause.message)}`, { cause });
  }
}
