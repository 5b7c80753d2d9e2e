import { withHost } from '../../host-link/connect.ts';
import type { HostOptions } from '../../host-link/find-host.ts';
import { findTerminal } from '../../input/ids.ts';
import type { Context } from '../../process/context.ts';
import { EXIT, usageError } from '../../process/exit.ts';
import type { Screen } from '../../render/screen.ts';
import { demand, giveBack, isNobody, take } from '../../term/holding.ts';
import { keySequence } from '../../term/keys.ts';

/** Options of `term send` as parsed. */
export interface TermSendOptions extends HostOptions {
  readonly enter?: boolean;
  readonly stdin?: boolean;
  readonly key?: readonly string[];
  readonly json?: boolean;
}

/** `term send`: types into a terminal, as its holder or into one that a session or nobody holds. */
export async function sendToTerminal(
  context: Context,
  screen: Screen,
  [given = '', ...words]: readonly string[],
  options: TermSendOptions,
): Promise<number> {
  const keys = (options.key ?? []).flatMap((names) => (names === ',' ? [names] : names.split(',')));
  const typed = words.join(' ');
  const pressed = keys.map(keySequence).join('') + (options.enter === true ? '\r' : '');
  if (typed + pressed === '' && options.stdin !== true) {
    throw usageError('nothing to send: expected text, --key, --enter or --stdin');
  }
  return withHost(context, screen, options, async ({ client, target }) => {
    const { resource } = await findTerminal(client, given);
    const terminal = await client.terminal(resource);
    const isFree = isNobody(resource, terminal.state.claim);
    if (isFree) demand(await take(client, terminal, target), 'not sent');
    try {
      const type = async (text: string): Promise<void> => {
        if (text !== '') demand(await terminal.input(text), 'not sent');
      };
      await type(typed);
      if (options.stdin === true) {
        const decoder = new TextDecoder();
        for await (const chunk of context.stdin) await type(decoder.decode(chunk, { stream: true }));
        await type(decoder.decode());
      }
      await type(pressed);
    } finally {
      if (isFree) await giveBack(terminal, undefined);
    }
    if (options.json === true) screen.json({ type: 'sent', terminal: resource });
    return EXIT.done;
  });
}
