import type { AhpClient } from '@agenthost/client';
import { SessionStatus, type URI } from '@agenthost/protocol';
import { withHost } from '../host-link/connect.ts';
import type { HostOptions } from '../host-link/find-host.ts';
import { findSession, shortId } from '../input/session-ids.ts';
import type { Context } from '../process/context.ts';
import { CliError, EXIT, type ExitCode } from '../process/exit.ts';
import { oneLine } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';

/** Options of `sessions fork` as parsed. */
export interface ForkOptions extends HostOptions {
  readonly at?: string;
  readonly json?: boolean;
}

/** `sessions fork`: a new session that begins as a copy of another, up to one of its turns. */
export async function forkSession(
  context: Context,
  screen: Screen,
  given: string,
  options: ForkOptions,
): Promise<ExitCode> {
  return withHost(context, screen, options, async ({ client }) => {
    const { resource, status } = await findSession(client, given);
    const turnId = options.at ?? (await lastTurnOf(client, resource));
    screen.status('forking the session');
    const fork = await client.sessions.create({ fork: { session: resource, turnId }, turns: 0 });
    screen.status(undefined);
    // There is nothing in it that was not in its source.
    if ((status & SessionStatus.IsRead) !== 0) await fork.setRead(true);
    if (options.json === true) {
      const { uri } = fork.chat.mirror;
      screen.json({ type: 'forked', session: fork.uri, chat: uri, from: resource, turnId });
    } else screen.line(`${shortId(fork.uri)}  ${oneLine(fork.mirror.state.title)}`.trimEnd());
    fork.dispose();
    return EXIT.done;
  });
}

async function lastTurnOf(client: AhpClient, uri: URI): Promise<string> {
  const session = await client.sessions.open(uri, { turns: 1 });
  const last = session.chat.mirror.confirmed.turns.at(-1);
  session.dispose();
  if (last === undefined) throw new CliError(EXIT.error, 'no turn of the session has ended yet');
  return last.id;
}
