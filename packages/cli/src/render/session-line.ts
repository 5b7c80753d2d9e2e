import { ACTIVITY_MASK, SessionStatus, type SessionSummary } from '@agenthost/protocol';
import { shortId } from '../input/ids.ts';
import { cellsOf, cutToCells, homely, oneLine } from './plain-text.ts';
import { shownPath } from './tool-call.ts';

/** Status of a chat, one word. */
export function statusWord(status: SessionStatus): 'asks' | 'working' | 'error' | 'idle' {
  const activity = status & ACTIVITY_MASK;
  if (activity === SessionStatus.InputNeeded) return 'asks';
  if (activity === SessionStatus.InProgress) return 'working';
  return activity === SessionStatus.Error ? 'error' : 'idle';
}

/** Status of a listed session, or `unread`. */
export type SessionWord = 'failed' | 'starts' | 'asks' | 'working' | 'error' | 'unread' | 'idle';

/**
 * A session's word, the same wherever sessions are listed: one whose default chat rests works as long as another of its chats does, which the status does
 * not say [SESS-5].
 */
export function sessionWord({ status, _meta }: Pick<SessionSummary, 'status' | '_meta'>): SessionWord {
  if (_meta?.['lifecycle'] === 'failed') return 'failed';
  if (_meta?.['lifecycle'] === 'creating') return 'starts';
  const word = statusWord(status);
  if (word !== 'idle') return word;
  if (Number(_meta?.['workingChats'] ?? 0) > 0) return 'working';
  return (status & SessionStatus.IsRead) === 0 ? 'unread' : 'idle';
}

/** How long ago, in the largest unit that fits. `iso` in the future counts as now. */
export function ago(iso: string, now: number): string {
  const seconds = Math.max(0, Math.round((now - Date.parse(iso)) / 1_000));
  if (Number.isNaN(seconds)) return '?';
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}

/** Options of a session line. */
export interface SessionLineOptions {
  /** ms since the epoch. */
  readonly now: number;
  readonly home: string;
  /** Cells that the line may take: its title is cut first. Absent: no limit. */
  readonly columns?: number | undefined;
}

/** A title is not cut below this for the sake of a long folder. */
const MIN_TITLE_CELLS = 16;

/** A session on one line. */
export function sessionLine(
  session: SessionSummary,
  { now, home, columns = Number.POSITIVE_INFINITY }: SessionLineOptions,
): string {
  const { resource, provider, modifiedAt, title, workingDirectories, project } = session;
  const head = [
    shortId(resource).padEnd(8),
    sessionWord(session).padEnd(7),
    oneLine(provider).padEnd(8),
    ago(modifiedAt, now).padStart(6),
  ].join('  ');
  const [directory] = workingDirectories ?? [];
  const path = directory === undefined ? '' : shownPath(directory);
  // Mostly the folder's own name, which says it.
  const isApart = project !== undefined && !path.endsWith(`/${project.displayName}`);
  const folder = `${homely(path, home)}${isApart ? ` (${oneLine(project.displayName, 40)})` : ''}`;
  const room = Math.max(MIN_TITLE_CELLS, columns - cellsOf(`${head}    ${folder}`));
  const shownTitle = cutToCells(oneLine(title) || '(no title)', room);
  return cutToCells([head, shownTitle, folder].join('  ').trimEnd(), columns);
}

/** The names of the columns of `sessionLine`. */
export const SESSION_COLUMNS = `${'ID'.padEnd(8)}  ${'STATUS'.padEnd(7)}  ${'AGENT'.padEnd(8)}  ${'AGE'.padStart(6)}  TITLE, FOLDER`;

/** How many messages wait in a queue, for people. */
export const waitingText = (count: number): string =>
  count === 1 ? '1 queued message' : `${count} queued messages`;

/** A number of bytes for people. */
export function bytes(count: number): string {
  if (count < 1_024) return `${count} B`;
  const units = ['KiB', 'MiB', 'GiB', 'TiB'];
  let value = count / 1_024;
  let unit = units.shift();
  for (const next of units) {
    if (value < 1_024) break;
    value /= 1_024;
    unit = next;
  }
  return `${value.toFixed(1)} ${unit}`;
}
