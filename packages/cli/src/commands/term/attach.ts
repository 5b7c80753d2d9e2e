import { withHost } from '../../host-link/connect.ts';
import type { HostOptions } from '../../host-link/find-host.ts';
import { findTerminal } from '../../input/ids.ts';
import type { Context } from '../../process/context.ts';
import { CliError, EXIT, usageError } from '../../process/exit.ts';
import { commandLine } from '../../process/own-command.ts';
import type { Screen } from '../../render/screen.ts';
import { Attachment, type AttachmentParts } from '../../term/attachment.ts';
import { prefixKey } from '../../term/keys.ts';

/** Variable in which a host tells what runs in a terminal the URI of that terminal. */
const OWN_TERMINAL_VARIABLE = 'AGENTHOST_TERMINAL';

/** Options of `term attach` as parsed. */
export interface TermAttachOptions extends HostOptions {
  readonly detachKey: string;
  readonly claim?: boolean;
}

/** `term attach`: shows a terminal in this window until it is left or ends. */
export async function attachTerminal(
  context: Context,
  screen: Screen,
  given: string,
  options: TermAttachOptions,
): Promise<number> {
  const prefix = prefixKey(options.detachKey);
  demandWindow(context, `\`${commandLine('term send')}\`, \`wait\` and \`run\` work without a window`);
  return withHost(context, screen, options, async (connected) => {
    const { resource } = await findTerminal(connected.client, given);
    if (context.env[OWN_TERMINAL_VARIABLE] === resource) {
      throw usageError('this command runs in that terminal, which would show itself without end');
    }
    const terminal = await connected.client.terminal(resource);
    const claims = options.claim === true;
    return attachTo({ context, screen, ...connected, terminal, prefix, claims });
  });
}

/** Throws a usage error unless input and output are a terminal. */
export function demandWindow({ stdin, stdout }: Context, hint: string): void {
  if (stdin.isTTY === true && stdout.isTTY === true) return;
  throw usageError(`input and output must be a terminal; ${hint}`);
}

/** Attaches, and tells how it ended: the exit code of the process, or 0 when it was left running. */
export async function attachTo(parts: AttachmentParts & { readonly screen: Screen }): Promise<number> {
  const { screen, terminal } = parts;
  const attachment = new Attachment(parts);
  screen.status(undefined);
  const end = await attachment.run();
  const tell = (text: string): void => {
    // The cursor is wherever the program left it.
    screen.text('\r\n');
    screen.note(text);
  };
  switch (end.reason) {
    case 'detached':
      await attachment.release();
      tell('[detached]');
      return EXIT.done;
    case 'interrupted':
      await attachment.release();
      return EXIT.interrupted;
    case 'exited':
      await attachment.release();
      tell(`[exited with code ${end.exitCode}]`);
      return end.exitCode;
    case 'removed':
      screen.text('\r\n');
      throw new CliError(EXIT.error, `terminal ${terminal.uri} was removed`);
    case 'hostLost':
      screen.text('\r\n');
      throw new CliError(EXIT.cannotConnect, end.message);
    default:
      return end satisfies never;
  }
}
