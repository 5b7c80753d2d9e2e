import { fitTexts, invalidParam, type SessionSummary } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import type { Commands } from '../../handler-port/commands.ts';
import { inShare } from '../../handler-port/share.ts';
import type { SearchPage, SearchPosition } from '../../journal/search/results.ts';
import type { SliceScheduler } from '../../lib/slice-scheduler.ts';
import type { Sync } from '../../sync/sync.ts';
import type { Feature } from '../feature.ts';

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;

/** `x-searchSessions`. */
function searchCommands(sync: Sync, slices: SliceScheduler): Commands {
  return {
    'x-searchSessions': async ({ query, limit = DEFAULT_LIMIT, cursor }, caller, signal) => {
      if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT) {
        throw invalidParam('limit', `expected an integer from 1 to ${MAX_LIMIT}`);
      }
      const after = cursor === undefined ? undefined : readCursor(cursor);
      const { sessions } = caller;
      const page = await inShare(slices, caller, signal, async (pause) => {
        await pause();
        const find = (from: SearchPosition | undefined) =>
          sync.afterCommit(() =>
            sync.journal.search(query, { limit, signal, pause, ...defined({ after: from }) }),
          );
        return sessions === undefined ? find(after) : findShared(find, sessions, limit);
      });
      return {
        items: page.hits.map(({ session, chat, turnId, field, snippet, matches }) => {
          const stored: SessionSummary = JSON.parse(session.summary);
          const summary = fitTexts(stored, 'session');
          return {
            session: summary,
            ...defined({ chat, turnId }),
            field,
            snippet,
            matches: matches.map(([start, end]): [number, number] => [start, end]),
          };
        }),
        ...(page.next === undefined ? {} : { nextCursor: writeCursor(page.next) }),
        isComplete: page.isComplete,
      };
    },
  };
}

/**
 * The best matches in the sessions that a caller may learn of. There is no cursor: it would tell that there are matches in other sessions.
 */
async function findShared(
  find: (from: SearchPosition | undefined) => Promise<SearchPage>,
  sessions: Pick<ReadonlyMap<string, unknown>, 'has'>,
  limit: number,
): Promise<SearchPage> {
  const hits: SearchPage['hits'][number][] = [];
  for (let page = await find(undefined); ; page = await find(page.next)) {
    hits.push(...page.hits.filter(({ session }) => sessions.has(session.uri)));
    if (hits.length >= limit || page.next === undefined)
      return { hits: hits.slice(0, limit), isComplete: page.isComplete };
  }
}

const writeCursor = ({ below, skip, withTitles }: SearchPosition): string =>
  `${below}.${skip}.${withTitles ? 1 : 0}`;

function readCursor(cursor: string): SearchPosition {
  const [, below = '', skip = '', withTitles] = /^(\d{1,15})\.(\d{1,6})\.([01])$/.exec(cursor) ?? [];
  if (below === '') throw invalidParam('cursor', 'unknown; start again without a cursor');
  return { below: Number(below), skip: Number(skip), withTitles: withTitles === '1' };
}

/** Search over turns and titles. */
export const searchFeature = (sync: Sync, slices: SliceScheduler): Feature => ({
  name: 'search',
  commands: searchCommands(sync, slices),
});
