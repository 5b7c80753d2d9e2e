import type { AhpClient } from '@agenthost/client';
import { hasExited, type SessionSummary } from '@agenthost/protocol';
import { listedTerminals } from '../input/ids.ts';
import { sessionWord } from '../render/session-line.ts';

/** A session with a running turn, or one that waits for the user. */
export interface ListedSession {
  readonly resource: string;
  readonly title: string;
  readonly provider: string;
}

/** The present activity of a host. */
export interface HostCounts {
  /** Number of all sessions, archived ones included. */
  readonly sessionCount: number;
  readonly running: readonly ListedSession[];
  /** Sessions that wait for an approval or an answer. */
  readonly waiting: readonly ListedSession[];
  /** Running terminals. */
  readonly terminalCount: number;
}

/** Requests the present activity of a host. Rejects as requests of the client do. */
export async function hostCounts(client: AhpClient): Promise<HostCounts> {
  const running: ListedSession[] = [];
  const waiting: ListedSession[] = [];
  let sessionCount = 0;
  for await (const session of client.sessions.list()) {
    sessionCount += 1;
    const word = sessionWord(session);
    if (word === 'working' || word === 'starts') running.push(listed(session));
    if (word === 'asks') waiting.push(listed(session));
  }
  const terminals = await listedTerminals(client);
  const terminalCount = terminals.filter((terminal) => !hasExited(terminal)).length;
  return { sessionCount, running, waiting, terminalCount };
}

const listed = ({ resource, title, provider }: SessionSummary): ListedSession => ({
  resource,
  title,
  provider,
});
