import type { AhpClient } from '@agenthost/client';
import {
  type ChatMoveDestination,
  type ChatSummary,
  resumableTurn,
  SessionStatus,
  type URI,
} from '@agenthost/protocol';
import { checkAccepted } from '../host-link/accepted.ts';
import { withHost } from '../host-link/connect.ts';
import type { HostOptions } from '../host-link/find-host.ts';
import { findChat, findSession, shortId } from '../input/ids.ts';
import type { Context } from '../process/context.ts';
import { CliError, EXIT, type ExitCode, usageError } from '../process/exit.ts';
import { oneLine } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';

/** Options of the commands that change chats, as parsed. */
export interface ChangeChatsOptions extends HostOptions {
  readonly json?: boolean;
}

/** A flag of chats that a command sets or clears. */
export type ChatFlag = 'archive' | 'unarchive' | 'read' | 'unread';

const FLAGS = {
  archive: { bit: SessionStatus.IsArchived, isSet: true, done: 'archived' },
  unarchive: { bit: SessionStatus.IsArchived, isSet: false, done: 'unarchived' },
  read: { bit: SessionStatus.IsRead, isSet: true, done: 'read' },
  unread: { bit: SessionStatus.IsRead, isSet: false, done: 'unread' },
} as const;

/** `chat archive`, `unarchive`, `read` and `unread`. */
export async function markChats(
  context: Context,
  screen: Screen,
  { flag, session, chats }: { flag: ChatFlag; session: string; chats: readonly string[] },
  options: ChangeChatsOptions,
): Promise<ExitCode> {
  const { bit, isSet, done } = FLAGS[flag];
  return withHost(context, screen, options, async ({ client }) => {
    // Looks up all chats first, so that a mistyped id changes nothing.
    const found = await chatsCalled(client, session, chats);
    for (const { resource, title, status } of found.chats) {
      if (((status & bit) !== 0) !== isSet)
        await change(client, resource, bit === SessionStatus.IsRead, isSet);
      if (options.json === true) screen.json({ type: done, session: found.session, chat: resource });
      else screen.line(`${done} ${shortId(resource)}  ${oneLine(title)}`.trimEnd());
    }
    return EXIT.done;
  });
}

async function change(client: AhpClient, chat: URI, isRead: boolean, isSet: boolean): Promise<void> {
  const answer = await client.dispatch(
    chat,
    isRead
      ? { type: 'chat/isReadChanged', isRead: isSet }
      : { type: 'chat/isArchivedChanged', isArchived: isSet },
  );
  checkAccepted(answer, `${shortId(chat)} was not changed`);
}

/** Options of `chat move`, as parsed. */
export interface MoveChatOptions extends ChangeChatsOptions {
  readonly to?: string;
  readonly newSession?: boolean;
  readonly after?: string;
}

/** `chat move`: to another place in the list, to another session, or to a new one. */
export async function moveChat(
  context: Context,
  screen: Screen,
  [from, given]: readonly [session: string, chat: string],
  options: MoveChatOptions,
): Promise<ExitCode> {
  const { to, newSession = false, after } = options;
  if (newSession && (to !== undefined || after !== undefined))
    throw usageError('--new-session takes neither --to nor --after');
  return withHost(context, screen, options, async ({ client }) => {
    const { session: source, chats } = await chatsCalled(client, from, [given]);
    const [chat] = chats;
    if (chat === undefined) throw new CliError(EXIT.error, `no chat ${given}`);
    const destination = newSession
      ? ({ kind: 'newSession' } as const)
      : await placeIn(client, to ?? source, after);
    const { session } = await client.request('moveChat', { channel: chat.resource, destination });
    if (options.json === true) screen.json({ type: 'moved', chat: chat.resource, from: source, session });
    else
      screen.line(`moved ${shortId(chat.resource)} to ${shortId(session)}  ${oneLine(chat.title)}`.trimEnd());
    return EXIT.done;
  });
}

async function placeIn(
  client: AhpClient,
  given: string,
  after: string | undefined,
): Promise<ChatMoveDestination> {
  const { session, chats } = await chatsCalled(client, given, after === undefined ? [] : [after]);
  const [anchor] = chats;
  return { kind: 'session', session, ...(anchor === undefined ? {} : { after: anchor.resource }) };
}

/** `chat resume`: continues the last turn of a chat, by default the session's default chat. */
export async function resumeChat(
  context: Context,
  screen: Screen,
  [given, chosen]: readonly [session: string, chat: string | undefined],
  options: ChangeChatsOptions,
): Promise<ExitCode> {
  return withHost(context, screen, options, async ({ client }) => {
    const found = await chatsCalled(client, given, chosen === undefined ? [] : [chosen]);
    const chat = found.chats[0]?.resource ?? found.defaultChat;
    if (chat === undefined) throw new CliError(EXIT.error, `${shortId(found.session)} has no default chat`);
    const mirror = await client.subscribe(chat, { kind: 'chat', turns: 1 });
    try {
      const turn = resumableTurn(mirror.state);
      if (turn === undefined) {
        const message = `The last turn of ${shortId(chat)} cannot be resumed: it has not failed, or its agent cannot continue it`;
        throw new CliError(EXIT.error, message);
      }
      const answer = await mirror.dispatch({ type: 'chat/turnResume', turnId: turn.id });
      checkAccepted(answer, `${shortId(chat)} was not resumed`);
      if (options.json === true)
        screen.json({ type: 'resumed', session: found.session, chat, turnId: turn.id });
      else screen.line(`resumed ${shortId(chat)}  ${oneLine(turn.message.text, 60)}`.trimEnd());
      return EXIT.done;
    } finally {
      mirror.dispose();
    }
  });
}

/** A session and some of its chats. Rejects with a `CliError`. */
async function chatsCalled(
  client: AhpClient,
  session: string,
  given: readonly string[],
): Promise<{ session: URI; defaultChat: URI | undefined; chats: readonly ChatSummary[] }> {
  const { resource } = await findSession(client, session);
  const mirror = await client.subscribe(resource, { kind: 'session' });
  try {
    const chats = given.map((text) => findChat(mirror.state, text, resource));
    return { session: resource, defaultChat: mirror.state.defaultChat, chats: [...new Set(chats)] };
  } finally {
    mirror.dispose();
  }
}
