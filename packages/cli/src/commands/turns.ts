import type { ActiveTurn, Turn } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { withHost } from '../host-link/connect.ts';
import type { HostOptions } from '../host-link/find-host.ts';
import { findChat, findSession } from '../input/ids.ts';
import type { Context } from '../process/context.ts';
import { EXIT, type ExitCode } from '../process/exit.ts';
import { oneLine } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';
import { ago } from '../render/session-line.ts';

/** Options of `sessions turns` as parsed. */
export interface TurnsOptions extends HostOptions {
  readonly chat?: string;
  readonly json?: boolean;
}

/** `sessions turns`: the ids of a chat's turns, the oldest first, one line each. */
export async function listTurns(
  context: Context,
  screen: Screen,
  given: string,
  options: TurnsOptions,
): Promise<ExitCode> {
  return withHost(context, screen, options, async ({ client }) => {
    const { resource } = await findSession(client, given);
    const session = await client.sessions.open(resource, { turns: 100 });
    const named =
      options.chat === undefined ? undefined : findChat(session.mirror.state, options.chat, resource);
    const isDefault = named === undefined || named.resource === session.chat.mirror.uri;
    const chat = isDefault ? session.chat : await session.openChat(named.resource, { turns: 100 });
    screen.status('reading the turns');
    while (await chat.mirror.fetchOlderTurns()) if (context.outputClosed.aborted) break;
    screen.status(undefined);
    const { turns, activeTurn } = chat.mirror.state;
    const all: (Turn | ActiveTurn)[] = activeTurn === undefined ? [...turns] : [...turns, activeTurn];
    if (options.json !== true && all.length === 0) screen.note('the chat has no turn yet');
    if (options.json !== true && all.length > 0) screen.columnNames(COLUMNS);
    for (const turn of all) {
      const { id, message, startedAt } = turn;
      const state = 'state' in turn ? turn.state : 'running';
      if (options.json === true)
        screen.json({ id, state, chat: chat.mirror.uri, message: message.text, ...defined({ startedAt }) });
      else screen.line(lineOf(id, state, startedAt, message.text));
    }
    return EXIT.done;
  });
}

const COLUMNS = `${'ID'.padEnd(36)}  ${'STATE'.padEnd(9)}  ${'AGE'.padStart(6)}  MESSAGE`;

/** Longer messages are cut. */
const MESSAGE_LENGTH = 60;

const lineOf = (id: string, state: string, startedAt: string | undefined, text: string): string =>
  [
    oneLine(id).padEnd(36),
    state.padEnd(9),
    (startedAt === undefined ? '' : ago(startedAt, Date.now())).padStart(6),
    oneLine(text, MESSAGE_LENGTH),
  ]
    .join('  ')
    .trimEnd();
