import type { SessionSummary } from '@agenthost/protocol';
import { pathOf } from '../text/file-path.ts';
import type { BoardSession } from './board-session.ts';
import { folderOf, projectId, projectName } from './folder-name.ts';
import { type Need, needOf } from './session-need.ts';

/** Which sessions a list shows. An absent field allows all. */
export interface BoardFilter {
  /** Words that must all occur in title, folder, project or agent. */
  readonly query?: string;
  /** Id of an agent. */
  readonly provider?: string;
  /** `projectId` of a session. */
  readonly project?: string;
  readonly need?: Need;
  /** Default false. A filter by the need `archived` shows archived sessions too. */
  readonly showsArchived?: boolean;
}

/** Lower-case search texts. A changed summary is another object, so an entry never gets old. */
const searchTexts = new WeakMap<SessionSummary, string>();

function searchText(summary: SessionSummary): string {
  const known = searchTexts.get(summary);
  if (known !== undefined) return known;
  const folder = folderOf(summary);
  const text = [
    summary.title,
    projectName(summary),
    folder === undefined ? '' : pathOf(folder),
    summary.provider,
  ]
    .join('\n')
    .toLowerCase();
  searchTexts.set(summary, text);
  return text;
}

/** The words of a query, in lower case. */
export const wordsOf = (query: string): readonly string[] =>
  query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');

/** Whether all words occur in title, folder, project or agent of a session. */
export function matchesWords({ summary, agentName }: BoardSession, words: readonly string[]): boolean {
  if (words.length === 0) return true;
  const text = searchText(summary);
  return words.every((word) => text.includes(word) || agentName.toLowerCase().includes(word));
}

/** The sessions that pass a filter, in the same order. */
export function filterSessions(
  sessions: readonly BoardSession[],
  filter: BoardFilter,
): readonly BoardSession[] {
  const words = wordsOf(filter.query ?? '');
  return sessions.filter((session) => {
    const { summary } = session;
    const need = needOf(summary);
    if (filter.need !== undefined) {
      if (need !== filter.need) return false;
    } else if (need === 'archived' && filter.showsArchived !== true) return false;
    if (filter.provider !== undefined && summary.provider !== filter.provider) return false;
    if (filter.project !== undefined && projectId(summary) !== filter.project) return false;
    return matchesWords(session, words);
  });
}
