import type { AhpClient } from '@agenthost/client';
import type { ChatSummary, SessionState, SessionSummary, URI } from '@agenthost/protocol';
import { CliError, EXIT, usageError } from '../process/exit.ts';
import { commandLine } from '../process/own-command.ts';
import { oneLine } from '../render/plain-text.ts';

/** The part of a session's URI that tells it from others. */
export const idOf = (uri: URI): string => uri.replace(/^[a-z][a-z0-9+.-]*:\/*/i, '');

/** What people are shown, and may type. Other clients choose ids: there is nothing in it that a terminal would obey. */
export const shortId = (uri: URI): string => oneLine(idOf(uri)).slice(0, 8);

/** Whether there is still such a session. */
export async function isListed(client: AhpClient, uri: URI): Promise<boolean> {
  for await (const { resource } of client.sessions.list()) if (resource === uri) return true;
  return false;
}

/**
 * The session that was meant: its URI, its id, or the beginning of one that no other session's id has. Rejects with a
 * `CliError`.
 */
export async function findSession(client: AhpClient, given: string): Promise<SessionSummary> {
  const matches: SessionSummary[] = [];
  for await (const session of client.sessions.list()) {
    if (isCalled(session, given)) return session;
    if (beginsWith(session, given)) matches.push(session);
  }
  return only(matches, given, { many: 'sessions', none: 'no session', lists: commandLine('sessions') });
}

/** The chat of a session that was meant, in the same way. Throws a `CliError`. */
export function findChat({ chats }: SessionState, given: string, session: URI): ChatSummary {
  const exact = chats.find((chat) => isCalled(chat, given));
  if (exact !== undefined) return exact;
  return only(
    chats.filter((chat) => beginsWith(chat, given)),
    given,
    { many: 'chats', none: 'no chat there', lists: commandLine(`sessions chats ${shortId(session)}`) },
  );
}

interface Named {
  readonly resource: URI;
}

const isCalled = ({ resource }: Named, given: string): boolean =>
  resource === given || idOf(resource) === given;

const beginsWith = ({ resource }: Named, given: string): boolean =>
  given !== '' && idOf(resource).startsWith(given);

function only<T extends Named>(
  matches: readonly T[],
  given: string,
  { many, none, lists }: { readonly many: string; readonly none: string; readonly lists: string },
): T {
  const [match, ...others] = matches;
  if (match === undefined) {
    throw new CliError(
      EXIT.error,
      `${none} is called ${oneLine(given) || '(nothing)'}; \`${lists}\` lists them`,
    );
  }
  if (others.length > 0) {
    const ids = matches.slice(0, 5).map(({ resource }) => oneLine(idOf(resource)));
    throw usageError(`${matches.length} ${many} begin with ${oneLine(given)}: ${ids.join(', ')}`);
  }
  return match;
}
