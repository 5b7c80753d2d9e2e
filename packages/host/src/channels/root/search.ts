import { invalidParams, type SessionSummary } from '@agenthost/protocol';
import type { SearchPosition } from '../../journal/search/results.ts';
import type { Sync } from '../../sync/sync.ts';
import type { Commands } from '../../wire/router.ts';

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;
/** Longer than anything that somebody looks for. */
const MAX_QUERY_UNITS = 1_000;

/** `x-searchSessions`. */
export function searchCommands(sync: Sync): Commands {
  return {
    'x-searchSessions': async ({ query, limit = DEFAULT_LIMIT, cursor }, _caller, signal) => {
      if (query.length > MAX_QUERY_UNITS) {
        throw invalidParams(
          `params.query: expected at most ${MAX_QUERY_UNITS} characters, got ${query.length}`,
        );
      }
      if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT) {
        throw invalidParams(`params.limit: expected an integer from 1 to ${MAX_LIMIT}`);
      }
      const after = cursor === undefined ? undefined : readCursor(cursor);
      const page = await sync.path.boundary(
        () => undefined,
        () => sync.journal.search(query, { limit, signal, ...(after === undefined ? {} : { after }) }),
      );
      return {
        items: page.hits.map(({ session, chat, turnId, field, snippet, matches }) => {
          const summary: SessionSummary = JSON.parse(session.summary);
          return {
            session: summary,
            ...(chat === undefined ? {} : { chat }),
            ...(turnId === undefined ? {} : { turnId }),
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

const writeCursor = ({ below, skip, withTitles }: SearchPosition): string =>
  `${below}.${skip}.${withTitles ? 1 : 0}`;

function readCursor(cursor: string): SearchPosition {
  const [, below = '', skip = '', withTitles] = /^(\d{1,15})\.(\d{1,6})\.([01])$/.exec(cursor) ?? [];
  if (below === '') throw invalidParams('params.cursor: unknown; begin again without one');
  return { below: Number(below), skip: Number(skip), withTitles: withTitles === '1' };
}
