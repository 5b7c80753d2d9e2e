import {
  fitTexts,
  invalidParam,
  LIST_ANSWER,
  type ListSessionsResult,
  type SessionSummary,
} from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import type { Command } from '../../handler-port/commands.ts';
import { FITTING_LENGTH, ListedLength } from '../../journal/listed-rows.ts';
import type { Log } from '../../lib/log.ts';
import type { Sync } from '../../sync/sync.ts';

/** Longest title of a shortened entry. */
const SHORT_TITLE = 100;
/** Longest working directory of a shortened entry. */
const SHORT_DIRECTORY = 256;

/**
 * `listSessions` [ROOT-2]. An answer is limited: a page may end early with a cursor, and a full list contains
 * shortened entries after the newest ones.
 */
export function listSessions(sync: Sync, log: Log): Command<'listSessions'> {
  const mend = new Mending(sync, log);
  return async ({ limit, cursor }, { sessions }) => {
    if (limit !== undefined && (!Number.isInteger(limit) || limit < 1)) {
      throw invalidParam('limit', 'expected an integer of at least 1');
    }
    const after = cursor === undefined ? undefined : readCursor(cursor);
    if (sessions !== undefined) return listShared(sync, [...sessions.keys()], limit, after);
    const shortening = new Shortening();
    const maxLength = (limit === undefined ? LIST_ANSWER.all : LIST_ANSWER.full).max;
    const rows = await sync.afterCommit(() =>
      sync.journal.listSessions({
        ...defined({ limit: limit && limit + 1, after }),
        shorten: (summary) => shortening.shorten(summary),
        maxLength,
      }),
    );
    mend.open(shortening.tooLong);
    const page = limit === undefined ? rows : rows.slice(0, limit);
    const items = page.map(({ summary }): SessionSummary => JSON.parse(summary));
    const last = page.at(-1);
    const hasMore = rows.length > page.length || shortening.length.hasReached(maxLength);
    return {
      items,
      ...defined({ nextCursor: hasMore && last !== undefined ? writeCursor(last) : undefined }),
    };
  };
}

/** The page of a caller that may learn of these sessions only, which are few. */
async function listShared(
  sync: Sync,
  uris: readonly string[],
  limit: number | undefined,
  after: Position | undefined,
): Promise<ListSessionsResult> {
  const found: SessionSummary[] = [];
  for (const uri of uris) {
    const session = await sync.registry.load(uri);
    if (session?.is('session') === true && session.hostData.unlistedFor === undefined)
      found.push(fitTexts(session.hostData.summary, 'session'));
  }
  const positioned = found
    .map((summary) => ({ summary, modifiedAt: summary.modifiedAt, uri: summary.resource }))
    .toSorted(newestFirst)
    .filter((each) => after === undefined || newestFirst(after, each) < 0);
  const page = limit === undefined ? positioned : positioned.slice(0, limit);
  const last = page.at(-1);
  const hasMore = page.length < positioned.length;
  return {
    items: page.map(({ summary }) => summary),
    ...defined({ nextCursor: hasMore && last !== undefined ? writeCursor(last) : undefined }),
  };
}

function newestFirst(one: Position, other: Position): number {
  if (one.modifiedAt !== other.modifiedAt) return one.modifiedAt > other.modifiedAt ? -1 : 1;
  return one.uri === other.uri ? 0 : one.uri > other.uri ? -1 : 1;
}

/** Cuts entries to the limits as they are read, and shortens those after the first megabytes. */
class Shortening {
  /** Sessions whose stored entry exceeds the limits. */
  readonly tooLong: string[] = [];
  /** Length of all entries so far. */
  readonly length = new ListedLength();

  shorten(stored: string): string {
    const isFull = this.length.shown < LIST_ANSWER.full.max;
    const shown = isFull && stored.length <= FITTING_LENGTH ? stored : this.#shortened(stored, isFull);
    this.length.add(stored, shown);
    return shown;
  }

  #shortened(stored: string, isFull: boolean): string {
    // The catalogue wrote the value.
    const summary: SessionSummary = JSON.parse(stored);
    const fitted = stored.length <= FITTING_LENGTH ? summary : fitTexts(summary, 'session');
    if (fitted !== summary) this.tooLong.push(fitted.resource);
    return JSON.stringify(isFull ? fitted : inShort(fitted));
  }
}

/** An entry without the members that a list does not need. Clients choose the sessions of a folder by the first working directory. */
function inShort(summary: SessionSummary): SessionSummary {
  const { resource, provider, title, status, createdAt, modifiedAt, workingDirectories = [] } = summary;
  const [directory = ''] = workingDirectories;
  const isShort = directory !== '' && directory.length <= SHORT_DIRECTORY;
  return {
    resource,
    provider,
    title: title.slice(0, SHORT_TITLE),
    status,
    createdAt,
    modifiedAt,
    ...defined({ workingDirectories: isShort ? [directory] : undefined }),
  };
}

/**
 * Loads sessions whose stored entries exceed the limits, which cuts them: one at a time, after the answer.
 */
class Mending {
  readonly #sync: Sync;
  readonly #log: Log;
  readonly #waiting = new Set<string>();
  #isRunning = false;

  constructor(sync: Sync, log: Log) {
    this.#sync = sync;
    this.#log = log;
  }

  open(sessions: readonly string[]): void {
    for (const uri of sessions) this.#waiting.add(uri);
    if (this.#waiting.size > 0 && !this.#isRunning) void this.#run();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    for (const uri of this.#waiting) {
      this.#waiting.delete(uri);
      try {
        await this.#sync.registry.open(uri);
      } catch (error) {
        this.#log.warn({ error, session: uri }, 'cannot load a session whose entry exceeds the limits');
      }
    }
    this.#isRunning = false;
  }
}

interface Position {
  readonly modifiedAt: string;
  readonly uri: string;
}

const writeCursor = ({ modifiedAt, uri }: Position): string =>
  Buffer.from(JSON.stringify([modifiedAt, uri])).toString('base64url');

function readCursor(cursor: string): Position {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    if (Array.isArray(value)) {
      const [modifiedAt, uri]: unknown[] = value;
      if (typeof modifiedAt === 'string' && typeof uri === 'string') return { modifiedAt, uri };
    }
  } catch (error) {
    throw invalidParam('cursor', `unknown (${error instanceof Error ? error.name : 'unreadable'})`);
  }
  throw invalidParam('cursor', 'unknown; start again without a cursor');
}
