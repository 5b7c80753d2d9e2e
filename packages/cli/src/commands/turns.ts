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
    const personOf = ({ 'x-by': by }: Turn | ActiveTurn): string => oneLine(by?.person ?? '', PERSON_LENGTH);
    const stateOf = (turn: Turn | ActiveTurn): string => ('state' in turn ? turn.state : 'running');
    const personWidth = Math.max(0, ...all.map((turn) => personOf(turn).length));
    screen.list(all, {
      ...options,
      none: 'the chat has no turn yet',
      columns: columns(personWidth),
      line: (turn) => {
        const { id, startedAt, message } = turn;
        const person = personOf(turn).padEnd(personWidth);
        return lineOf({ id, state: stateOf(turn), startedAt, person }, message.text);
      },
      value: (turn) => {
        const { id, message, startedAt, 'x-by': by } = turn;
        const [state, chatUri] = [stateOf(turn), chat.mirror.uri];
        return { id, state, chat: chatUri, message: message.text, ...defined({ startedAt, by }) };
      },
    });
    return EXIT.done;
  });
}

/** The column of people is left out where no turn has one. */
const columns = (personWidth: number): string =>
  `${'ID'.padEnd(36)}  ${'STATE'.padEnd(9)}  ${'AGE'.padStart(6)}  ${personWidth === 0 ? '' : `${'BY'.padEnd(personWidth)}  `}MESSAGE`;

/** Longer names are cut. */
const PERSON_LENGTH = 30;

/** Longer messages are cut. */
const MESSAGE_LENGTH = 60;

interface Row {
  readonly id: string;
  readonly state: string;
  readonly startedAt: string | undefined;
  /** Empty: none of the turns has one. */
  readonly person: string;
}

const lineOf = ({ id, state, startedAt, person }: Row, text: string): string =>
  [
    oneLine(id).padEnd(36),
    state.padEnd(9),
    (startedAt === undefined ? '' : ago(startedAt, Date.now())).padStart(6),
    ...(person === '' ? [] : [person]),
    oneLine(text, MESSAGE_LENGTH),
  ]
    .join('  ')
    .trimEnd();
