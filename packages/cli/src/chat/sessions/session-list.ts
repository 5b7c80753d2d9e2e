import { ACTIVITY_MASK, SessionStatus, type SessionSummary } from '@agenthost/protocol';
import { idOf } from '../../input/ids.ts';
import { homely, oneLine } from '../../render/plain-text.ts';
import type { Marks } from '../../render/screen.ts';
import { ago, sessionWord } from '../../render/session-line.ts';
import { shownPath } from '../../render/tool-call.ts';
import { type Line, line, type Span, span } from '../text/line.ts';
import { cutLine, justified } from '../text/wrap.ts';

const isArchived = ({ status }: SessionSummary): boolean => (status & SessionStatus.IsArchived) !== 0;

/** Whether something happened in it that nobody has looked at. */
const isUnread = ({ status }: SessionSummary): boolean => (status & SessionStatus.IsRead) === 0;

/** Whether a session has every word of the filter in title, id, agent, folder or the name of its host. */
export function matches(session: SessionSummary, filter: string, host = ''): boolean {
  const { resource, title, provider, workingDirectories = [], activity = '' } = session;
  const text =
    `${title}\n${idOf(resource)}\n${provider}\n${workingDirectories.join('\n')}\n${activity}\n${host}`.toLowerCase();
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** The sessions to show: what needs somebody first, then the newest; found ones that only their text matches come after. */
export function shownSessions(
  sessions: Iterable<SessionSummary>,
  options: {
    readonly filter: string;
    readonly withArchived: boolean;
    readonly found: ReadonlySet<string>;
    /** Name of the host of a session. Absent: there is one host. */
    readonly hostOf?: (session: SessionSummary) => string;
  },
): SessionSummary[] {
  const { filter, withArchived, found, hostOf } = options;
  const needs = ({ status }: SessionSummary): number =>
    (status & ACTIVITY_MASK) === SessionStatus.InputNeeded ? 1 : 0;
  return [...sessions]
    .filter((session) => withArchived || !isArchived(session))
    .filter((session) => matches(session, filter, hostOf?.(session)) || found.has(session.resource))
    .toSorted((one, other) => needs(other) - needs(one) || (one.modifiedAt < other.modifiedAt ? 1 : -1));
}

/** A mark that says what a session does, and its word. */
function stateOf(session: SessionSummary, marks: Marks): Span {
  const word = sessionWord(session);
  switch (word) {
    case 'asks':
      return span(`${marks.asks} ${word}`, { color: 'yellow', bold: true });
    case 'starts':
    case 'working':
      return span(`${marks.running} ${word}`, { color: 'cyan' });
    case 'failed':
    case 'error':
      return span(`${marks.failed} ${word}`, { color: 'red' });
    case 'unread':
      return span(`${marks.dot} ${word}`, { color: 'green' });
    case 'idle':
      return span(`  ${word}`, { dim: true });
    default:
      return word satisfies never;
  }
}

const STATE_CELLS = 10;

/** A session on one line. */
export function sessionRow(
  session: SessionSummary,
  options: {
    width: number;
    now: number;
    home: string;
    marks: Marks;
    isSelected: boolean;
    snippet: string | undefined;
    /** Absent: there is one host. */
    host?: string;
  },
): Line {
  const { width, now, home, marks, isSelected, snippet, host } = options;
  const state = stateOf(session, marks);
  const title = oneLine(session.title, 300) || '(no title)';
  const look = {
    ...(isSelected ? { inverse: true as const } : {}),
    ...(isUnread(session) ? { bold: true as const } : {}),
  };
  const activity = oneLine(session.activity ?? '', 40);
  const more = snippet ?? activity;
  const left: Line = [
    span(isSelected ? '▸ ' : '  '),
    state,
    span(' '.repeat(Math.max(1, STATE_CELLS - state.text.length))),
    span(title, look),
    ...(more === '' ? [] : [span(`  ${more}`, { dim: true, italic: true })]),
    ...(isArchived(session) ? [span('  archived', { dim: true })] : []),
  ];
  const [directory] = session.workingDirectories ?? [];
  const folder = width < 70 || directory === undefined ? '' : shortPath(homely(shownPath(directory), home));
  const agent = oneLine(session.provider, 12);
  const place = host === undefined ? '' : `${oneLine(host, 16)}  `;
  const right = width < 50 ? '' : `${folder === '' ? '' : `${folder}  `}${agent}  `;
  return justified(
    left,
    line(`${place}${right}${ago(session.modifiedAt, now).padStart(6)}`, { dim: true }),
    width,
  );
}

/** The end of a path, which says the most. */
const shortPath = (path: string): string => (path.length <= 24 ? path : `…${path.slice(-23)}`);

/** The filter as a line. */
export function filterLine(
  filter: string,
  options: { width: number; shown: number; total: number; isLoading: boolean },
): Line {
  const { width, shown, total, isLoading } = options;
  const count = isLoading ? `${total} so far` : shown === total ? `${total}` : `${shown} of ${total}`;
  const said: Line = filter === '' ? [span('type to filter', { dim: true })] : [span(filter)];
  return justified([span('  Filter: ', { bold: true }), ...said], line(count, { dim: true }), width);
}

/** Placeholder of an empty list. */
export const noSessions = (filter: string, width: number): Line[] =>
  [
    filter === '' ? '  No session yet.' : `  Nothing matches “${filter}”.`,
    filter === '' ? '  Ctrl-N creates one.' : '  Esc clears the filter.',
  ].map((text) => cutLine(line(text, { dim: true }), width));
