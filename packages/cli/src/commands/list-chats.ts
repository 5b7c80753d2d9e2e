import type { ChatSummary, URI } from '@agenthost/protocol';
import { withHost } from '../host-link/connect.ts';
import { findSession, shortId } from '../input/session-ids.ts';
import type { Context } from '../process/context.ts';
import { EXIT, type ExitCode } from '../process/exit.ts';
import { oneLine } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';
import { statusWord } from '../render/session-line.ts';
import type { ChangeSessionsOptions } from './change-sessions.ts';

/** `sessions chats`: the chats of a session, one line each, in the order in which they were made. */
export async function listChats(
  context: Context,
  screen: Screen,
  given: string,
  options: ChangeSessionsOptions,
): Promise<ExitCode> {
  return withHost(context, screen, options, async ({ client }) => {
    const { resource } = await findSession(client, given);
    const session = await client.subscribe(resource, { kind: 'session' });
    const { chats, defaultChat } = session.state;
    for (const chat of chats) {
      const isDefault = chat.resource === defaultChat;
      if (options.json === true) screen.json({ ...chat, isDefault });
      else screen.line(chatLine(chat, isDefault));
    }
    session.dispose();
    return EXIT.done;
  });
}

function chatLine(chat: ChatSummary, isDefault: boolean): string {
  const notes = [...(isDefault ? ['default'] : []), ...originNotes(chat)];
  const note = notes.length === 0 ? '' : `  (${notes.join(', ')})`;
  return `${shortId(chat.resource)}  ${statusWord(chat.status).padEnd(7)}  ${oneLine(chat.title)}${note}`;
}

function originNotes({ origin }: ChatSummary): string[] {
  const of = (uri: URI): string => shortId(uri);
  if (origin?.kind === 'fork') return [`fork of ${of(origin.chat)}`];
  return origin?.kind === 'tool' ? [`worker of ${of(origin.chat)}`] : [];
}
