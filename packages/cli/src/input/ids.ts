import type { AhpClient } from '@agenthost/client';
import type { ChatSummary, SessionState, SessionSummary, TerminalInfo, URI } from '@agenthost/protocol';
import { CliError, EXIT, usageError } from '../process/exit.ts';
import { commandLine } from '../process/own-command.ts';
import { oneLine } from '../render/plain-text.ts';

/** The part of a session's URI that tells it from others. */
export const idOf = (uri: URI): string => uri.replace(/^[a-z][a-z0-9+.-]*:\/*/i, '');

/** The short id for display and input. Clients choose ids, so control characters are removed. */
export const shortId = (uri: URI): string => oneLine(idOf(uri)).slice(0, 8);

/** Whether there is still such a session. */
export async function isListed(client: AhpClient, uri: URI): Promise<boolean> {
  for await (const { resource } of client.sessions.list()) if (resource === uri) return true;
  return false;
}

/** Whether the host has a session that is called so, or sessions whose ids begin so. */
export async function hasSession(client: AhpClient, given: string): Promise<boolean> {
  for await (const session of client.sessions.list())
    if (isCalled(session, given) || beginsWith(session, given)) return true;
  return false;
}

/**
 * Finds a session by its URI, its id, or a unique beginning of its id. Rejects with a
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
    {
      many: 'chats',
      none: 'no chat of the session',
      lists: commandLine(`sessions chats ${shortId(session)}`),
    },
  );
}

interface Named {
  readonly resource: URI;
}

/** Whether this is the URI of a thing, or its whole id. */
export const isCalled = ({ resource }: Named, given: string): boolean =>
  resource === given || idOf(resource) === given;

/** Whether the id of a thing begins so. */
export const beginsWith = ({ resource }: Named, given: string): boolean =>
  given !== '' && idOf(resource).startsWith(given);

/** The only one of several things with the beginning of an id. Throws a `CliError` for none and for many. */
export function only<T extends Named>(
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

/** All terminals of the host, in its order. */
export async function listedTerminals(client: AhpClient): Promise<readonly TerminalInfo[]> {
  const catalogue = await client.terminals();
  const { items } = catalogue;
  catalogue.dispose();
  return items;
}

/**
 * Finds a terminal by its URI, its id, its number in the list, or a unique beginning of its id.
 * Rejects with a `CliError`.
 */
export async function findTerminal(client: AhpClient, given: string): Promise<TerminalInfo> {
  return chooseTerminal(await listedTerminals(client), given);
}

/**
 * The same for a terminal that is to be ended: a number in the list is refused, since others move up when one goes, and the same command a second
 * time would end another.
 */
export async function findTerminalById(client: AhpClient, given: string): Promise<TerminalInfo> {
  return chooseTerminalById(await listedTerminals(client), given);
}

/** The same among those listed. A number of the list is refused even if an id begins with it. */
export function chooseTerminalById(terminals: readonly TerminalInfo[], given: string): TerminalInfo {
  const chosen = chooseTerminal(terminals, given);
  const id = idOf(chosen.resource);
  if (chosen.resource === given || id === given || chosen !== atPosition(terminals, given)) return chosen;
  const place = `${oneLine(given)} is a position in the list, and positions change when a terminal ends`;
  throw usageError(`${place}: use its id, ${oneLine(id.slice(0, 8))}`);
}

const atPosition = (terminals: readonly TerminalInfo[], given: string): TerminalInfo | undefined =>
  /^[1-9]\d{0,2}$/.test(given) ? terminals[Number(given) - 1] : undefined;

/** The same among those listed. A whole id goes before a number, and a number before the beginning of an id. */
export function chooseTerminal(terminals: readonly TerminalInfo[], given: string): TerminalInfo {
  const exact = terminals.find(({ resource }) => resource === given || idOf(resource) === given);
  if (exact !== undefined) return exact;
  const numbered = atPosition(terminals, given);
  if (numbered !== undefined) return numbered;
  const matches = given === '' ? [] : terminals.filter(({ resource }) => idOf(resource).startsWith(given));
  const [match, ...others] = matches;
  if (match === undefined) {
    throw new CliError(
      EXIT.error,
      `no terminal is called ${oneLine(given) || '(nothing)'}; \`${commandLine('term list')}\` lists them`,
    );
  }
  if (others.length > 0) {
    const ids = matches.slice(0, 5).map(({ resource }) => oneLine(idOf(resource)));
    throw usageError(`${matches.length} terminals begin with ${oneLine(given)}: ${ids.join(', ')}`);
  }
  return match;
}
