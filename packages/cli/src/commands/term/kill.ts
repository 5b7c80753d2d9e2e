import type { TerminalSignal } from '@agenthost/protocol';
import { withHost } from '../../host-link/connect.ts';
import type { HostOptions } from '../../host-link/find-host.ts';
import { errorSentence } from '../../host-link/host-errors.ts';
import { findTerminalById, shortId } from '../../input/ids.ts';
import type { Context } from '../../process/context.ts';
import { CliError, EXIT, usageError } from '../../process/exit.ts';
import { oneLine } from '../../render/plain-text.ts';
import type { Screen } from '../../render/screen.ts';
import { demand, giveBack, isNobody, take } from '../../term/holding.ts';

/** Options of `term kill` as parsed. */
export interface TermKillOptions extends HostOptions {
  readonly signal?: string;
  readonly json?: boolean;
}

const SIGNALS: readonly TerminalSignal[] = [
  'INT',
  'TERM',
  'HUP',
  'QUIT',
  'KILL',
  'USR1',
  'USR2',
  'STOP',
  'TSTP',
  'CONT',
];

/** `term kill`: ends terminals for everyone, or signals what runs in them. */
export async function killTerminals(
  context: Context,
  screen: Screen,
  given: readonly string[],
  options: TermKillOptions,
): Promise<number> {
  const signal = options.signal === undefined ? undefined : signalOf(options.signal);
  return withHost(context, screen, options, async ({ client, target }) => {
    const found = new Set<string>();
    // Looks up all terminals first, so that a mistyped id ends nothing.
    for (const text of given) found.add((await findTerminalById(client, text)).resource);
    for (const uri of found) {
      const terminal = await client.terminal(uri);
      try {
        if (signal === undefined) {
          await terminal.dispose();
          if (options.json === true) screen.json({ type: 'ended', terminal: uri });
          else screen.line(`ended ${shortId(uri)}  ${oneLine(terminal.state.title)}`.trimEnd());
          continue;
        }
        const isFree = isNobody(uri, terminal.state.claim);
        if (isFree) demand(await take(client, terminal, target), 'no signal sent');
        try {
          await terminal.signal(signal);
          if (options.json === true) screen.json({ type: 'signalled', terminal: uri, signal });
        } finally {
          if (isFree) await giveBack(terminal, undefined);
        }
      } catch (cause) {
        if (!(cause instanceof Error) || cause.name !== 'RpcError') throw cause;
        throw new CliError(EXIT.error, `terminal ${shortId(uri)}: ${oneLine(errorSentence(cause))}`, {
          cause,
        });
      } finally {
        terminal.close();
      }
    }
    return EXIT.done;
  });
}

function signalOf(given: string): TerminalSignal {
  const name = given.toUpperCase().replace(/^SIG/, '');
  const signal = SIGNALS.find((one) => one === name);
  if (signal !== undefined) return signal;
  throw usageError(`--signal: expected one of ${SIGNALS.join(', ')}, got ${oneLine(given) || '(nothing)'}`);
}
