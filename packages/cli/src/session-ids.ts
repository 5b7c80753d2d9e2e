import type { AhpClient } from '@agenthost/client';
import type { SessionSummary, URI } from '@agenthost/protocol';
import { CliError, EXIT, usageError } from './exit.ts';
import { oneLine } from './render/plain-text.ts';

/** The part of a session's URI that tells it from others. */
export const idOf = (uri: URI): string => uri.replace(/^[a-z][a-z0-9+.-]*:\/*/i, '');

/** What people are shown, and may type. */
export const shortId = (uri: URI): string => idOf(uri).slice(0, 8);

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
    const { resource } = session;
    if (resource === given || idOf(resource) === given) return session;
    if (given !== '' && idOf(resource).startsWith(given)) matches.push(session);
  }
  const [match, ...others] = matches;
  if (match === undefined) {
    throw new CliError(
      EXIT.error,
      `no session is called ${oneLine(given) || '(nothing)'}; \`agenthost sessions\` lists them`,
    );
  }
  if (others.length > 0) {
    const ids = matches.slice(0, 5).map(({ resource }) => oneLine(idOf(resource)));
    throw usageError(`${matches.length} sessions begin with ${oneLine(given)}: ${ids.join(', ')}`);
  }
  return match;
}
