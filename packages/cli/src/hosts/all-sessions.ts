import type { AhpClient } from '@agenthost/client';
import type { SessionSummary } from '@agenthost/protocol';
import { collect, type SearchOptions, showHits } from '../commands/search-sessions.ts';
import type { Context } from '../process/context.ts';
import { EXIT, type ExitCode } from '../process/exit.ts';
import type { Screen } from '../render/screen.ts';
import { SESSION_COLUMNS, sessionLine } from '../render/session-line.ts';
import { askEach, type HostAnswer, type KnownHost } from './every-host.ts';

/** Options of a list of sessions. */
export interface ListOptions {
  readonly isWanted: (session: SessionSummary) => boolean;
  /** Maximum number of sessions to show. Default: all. */
  readonly limit?: number;
  readonly json?: boolean;
}

/**
 * Lists the sessions of all hosts, the last modified first, each with its host. Sessions of slow hosts follow. Exit code 4 if no host answered.
 */
export async function listEverywhere(
  context: Context,
  screen: Screen,
  hosts: readonly KnownHost[],
  { isWanted, limit = Number.POSITIVE_INFINITY, json }: ListOptions,
): Promise<ExitCode> {
  const width = hostWidth(hosts);
  const columns =
    screen.windowColumns === undefined ? undefined : Math.max(20, screen.windowColumns - width - 2);
  const answered: HostAnswer<unknown>[] = [];
  let count = 0;
  screen.status('listing sessions');
  const asking = askEach(context, screen, hosts, (client) => wantedSessions(client, isWanted, limit));
  for await (const answers of asking) {
    answered.push(...answers);
    const sessions = answers
      .flatMap((answer) =>
        'value' in answer ? answer.value.map((session) => ({ session, label: answer.host.label })) : [],
      )
      .toSorted((a, b) => Date.parse(b.session.modifiedAt) - Date.parse(a.session.modifiedAt))
      .slice(0, limit - count);
    if (json !== true && count === 0 && sessions.length > 0)
      screen.columnNames(`${'HOST'.padEnd(width)}  ${SESSION_COLUMNS}`);
    for (const { session, label } of sessions) {
      if (context.outputClosed.aborted) break;
      const { _meta: { lifecycle } = {} } = session;
      if (json === true)
        screen.json({ ...session, ...(lifecycle === undefined ? {} : { lifecycle }), host: label });
      else
        screen.line(
          `${label.padEnd(width)}  ${sessionLine(session, { now: Date.now(), home: context.home, columns })}`,
        );
    }
    count += sessions.length;
    if (count >= limit || context.outputClosed.aborted) break;
  }
  screen.status(undefined);
  if (count === 0 && json !== true) screen.note('no sessions to show');
  const late = hosts.filter((host) => !answered.some((answer) => answer.host === host));
  if (late.length > 0 && json !== true)
    screen.note(`no answer yet from ${late.map(({ label }) => label).join(', ')}`);
  return tellProblems(screen, answered, json);
}

async function wantedSessions(
  client: AhpClient,
  isWanted: ListOptions['isWanted'],
  limit: number,
): Promise<readonly SessionSummary[]> {
  const sessions: SessionSummary[] = [];
  for await (const session of client.sessions.list()) {
    if (sessions.length >= limit) break;
    if (isWanted(session)) sessions.push(session);
  }
  return sessions;
}

/** Searches the sessions of all hosts, and prints the matches by host. Exit code 4 if no host answered. */
export async function searchEverywhere(
  context: Context,
  screen: Screen,
  hosts: readonly KnownHost[],
  options: Omit<SearchOptions, 'url' | 'host'>,
): Promise<ExitCode> {
  screen.status('searching');
  const width = hostWidth(hosts);
  const answered: HostAnswer<unknown>[] = [];
  let count = 0;
  for await (const answers of askEach(context, screen, hosts, (client) => collect(client, options))) {
    answered.push(...answers);
    for (const answer of answers) {
      if (!('value' in answer)) continue;
      const { hits, isComplete } = answer.value;
      const { label } = answer.host;
      count += hits.length;
      if (options.json === true) for (const hit of hits) screen.json({ ...hit, host: label });
      else showHits(context, screen, hits, `${label.padEnd(width)}  `);
      if (!isComplete) screen.note(`${label} is still indexing older sessions: a later search may find more`);
    }
    if (context.outputClosed.aborted) break;
  }
  screen.status(undefined);
  if (count === 0 && options.json !== true) screen.note('no matches');
  return tellProblems(screen, answered, options.json);
}

const hostWidth = (hosts: readonly KnownHost[]): number =>
  Math.max('HOST'.length, ...hosts.map(({ label }) => label.length));

/** Reports the hosts that did not answer. Machines without a running host are not reported. */
function tellProblems(
  screen: Screen,
  answers: readonly HostAnswer<unknown>[],
  json: boolean | undefined,
): ExitCode {
  for (const answer of answers) {
    if (!('problem' in answer)) continue;
    const { host, problem, isAbsent } = answer;
    if (json === true)
      screen.json({ type: 'error', message: problem, exitCode: EXIT.cannotConnect, host: host.label });
    else if (!isAbsent) screen.note(`agenthost: ${host.label}: ${problem}`);
  }
  return answers.some((answer) => 'value' in answer || answer.isAbsent) ? EXIT.done : EXIT.cannotConnect;
}
