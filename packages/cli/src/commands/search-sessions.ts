import type { AhpClient } from '@agenthost/client';
import type { SessionSearchHit, SessionSummary } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { withHost } from '../host-link/connect.ts';
import type { HostOptions } from '../host-link/find-host.ts';
import type { Context } from '../process/context.ts';
import { EXIT, type ExitCode } from '../process/exit.ts';
import { PlainText } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';
import { sessionLine } from '../render/session-line.ts';

const DEFAULT_LIMIT = 20;
const PAGE_SIZE = 100;
const FIELD_NAMES = {
  title: 'title',
  message: 'asked',
  response: 'answer',
} satisfies Record<SessionSearchHit['field'], string>;

/** Options of a search. */
export interface SearchOptions extends HostOptions {
  readonly query: string;
  readonly isWanted: (session: SessionSummary) => boolean;
  /** Places to show. Default 20. */
  readonly limit?: number;
  readonly json?: boolean;
}

/** `sessions --search`: each session that fits, with the places in it, best first. With `--json` a line for each place. */
export async function searchSessions(
  context: Context,
  screen: Screen,
  options: SearchOptions,
): Promise<ExitCode> {
  return withHost(context, screen, options, async ({ client }) => {
    screen.status('searching');
    const { hits, isComplete } = await collect(client, options);
    screen.status(undefined);
    if (options.json === true) for (const hit of hits) screen.json(hit);
    else showHits(context, screen, hits);
    if (hits.length === 0 && options.json !== true) screen.note('no matches');
    if (!isComplete) screen.note('the host is still indexing older sessions: a later search may find more');
    return EXIT.done;
  });
}

/** The places that a host finds, best first. `isComplete`: all sessions are indexed. */
export async function collect(
  client: AhpClient,
  { query, limit = DEFAULT_LIMIT, isWanted }: Pick<SearchOptions, 'query' | 'limit' | 'isWanted'>,
): Promise<{ hits: SessionSearchHit[]; isComplete: boolean }> {
  const hits: SessionSearchHit[] = [];
  let cursor: string | undefined;
  for (;;) {
    const page = await client.sessions.search(query, {
      limit: Math.min(limit, PAGE_SIZE),
      ...defined({ cursor }),
    });
    hits.push(...page.items.filter(({ session }) => isWanted(session)));
    cursor = page.nextCursor;
    if (cursor === undefined || hits.length >= limit) {
      return { hits: hits.slice(0, limit), isComplete: page.isComplete };
    }
  }
}

/** Prints places for people: each session on a line, and its places below. `host`: goes in front of each session. */
export function showHits(
  context: Context,
  screen: Screen,
  hits: readonly SessionSearchHit[],
  host = '',
): void {
  for (const group of bySession(hits)) show(context, screen, group, host);
}

function bySession(hits: readonly SessionSearchHit[]): SessionSearchHit[][] {
  const groups = new Map<string, SessionSearchHit[]>();
  for (const hit of hits)
    groups.set(hit.session.resource, [...(groups.get(hit.session.resource) ?? []), hit]);
  return [...groups.values()];
}

function show(context: Context, screen: Screen, hits: readonly SessionSearchHit[], host: string): void {
  for (const [index, hit] of hits.entries()) {
    if (index === 0) {
      const columns =
        screen.windowColumns === undefined ? undefined : Math.max(20, screen.windowColumns - host.length);
      screen.line(`${host}${sessionLine(hit.session, { now: Date.now(), home: context.home, columns })}`);
    }
    screen.line(`  ${FIELD_NAMES[hit.field].padEnd(6)}  ${highlighted(hit, screen)}`);
  }
}

/** The snippet with its matches in bold, where colours are shown; without terminal sequences. */
function highlighted({ snippet, matches }: SessionSearchHit, screen: Screen): string {
  // One for all pieces: a sequence may go over the edge of a match.
  const plain = new PlainText();
  let shown = '';
  let at = 0;
  for (const [start, end] of matches) {
    shown += plain.next(snippet.slice(at, start));
    const match = plain.next(snippet.slice(start, end));
    shown += match === '' ? '' : screen.outColors.bold(screen.outColors.yellow(match));
    at = end;
  }
  return shown + plain.next(snippet.slice(at));
}
