import type { AhpClient } from '@agenthost/client';
import { type ClientAction, SessionStatus, type SessionSummary, type URI } from '@agenthost/protocol';
import { checkAccepted } from '../host-link/accepted.ts';
import { withHost } from '../host-link/connect.ts';
import type { HostOptions } from '../host-link/find-host.ts';
import { findSession, shortId } from '../input/ids.ts';
import type { Context } from '../process/context.ts';
import { CliError, EXIT, type ExitCode, usageError } from '../process/exit.ts';
import { commandLine } from '../process/own-command.ts';
import { askYesOrNo } from '../question/yes-or-no.ts';
import { oneLine } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';
import { shownPath } from '../render/tool-call.ts';

/** Options of the commands that change sessions, as parsed. */
export interface ChangeSessionsOptions extends HostOptions {
  readonly json?: boolean;
}

/** `sessions rm`: ends sessions for all clients and deletes them. Asks first in a terminal, unless `yes` is given. */
export async function removeSessions(
  context: Context,
  screen: Screen,
  given: readonly string[],
  options: ChangeSessionsOptions & { readonly yes?: boolean },
): Promise<ExitCode> {
  return withHost(context, screen, options, async ({ client }) => {
    // Looks up all sessions first, so that a mistyped id removes nothing.
    const sessions = await findAll(client, given);
    const isAsked = options.yes !== true && options.json !== true && context.stdin.isTTY === true;
    if (isAsked && !(await isMeant(context, screen, sessions)))
      throw new CliError(EXIT.error, 'nothing was removed');
    for (const session of sessions) {
      const { resource } = session;
      const kept = await worktreesThatStay(client, resource);
      screen.status(`removing ${shortId(resource)}`);
      await client.sessions.dispose(resource);
      screen.status(undefined);
      tell(screen, options, 'removed', session);
      if (options.json !== true) for (const note of kept) screen.note(note);
    }
    return EXIT.done;
  });
}

/** A line for each worktree that stays after the removal of its session, because it holds work. */
async function worktreesThatStay(client: AhpClient, session: URI): Promise<string[]> {
  // A host of an earlier version, or a token of the scope `observe`, knows of none.
  const items = await client.sessions.worktrees.list().catch(() => []);
  return items.flatMap(({ id, session: owner, holds, uri }) =>
    owner === session && holds !== undefined
      ? [
          `its worktree ${oneLine(shownPath(uri))} holds ${oneLine(holds)} and stays: \`${commandLine(`worktrees remove ${oneLine(id.slice(0, 8))}`)}\` removes it`,
        ]
      : [],
  );
}

async function isMeant(
  context: Context,
  screen: Screen,
  sessions: readonly SessionSummary[],
): Promise<boolean> {
  for (const { resource, title } of sessions)
    screen.note(`${shortId(resource)}  ${oneLine(title)}`.trimEnd());
  const what = sessions.length === 1 ? 'it' : `these ${sessions.length}`;
  return askYesOrNo(context, screen, `remove ${what} for everyone?`);
}

/** `sessions archive` and `unarchive`. */
export async function archiveSessions(
  context: Context,
  screen: Screen,
  given: readonly string[],
  options: ChangeSessionsOptions & { readonly isArchived: boolean },
): Promise<ExitCode> {
  const { isArchived } = options;
  return withHost(context, screen, options, async ({ client }) => {
    for (const session of await findAll(client, given)) {
      const done = isArchived ? 'archived' : 'unarchived';
      const isSo = ((session.status & SessionStatus.IsArchived) !== 0) === isArchived;
      if (!isSo) await change(client, session, { type: 'session/isArchivedChanged', isArchived });
      if (!isSo || options.json === true) tell(screen, options, done, session);
      else
        screen.line(
          `${shortId(session.resource)}  ${oneLine(session.title)}: ${isArchived ? 'archived already' : 'not archived'}`,
        );
    }
    return EXIT.done;
  });
}

/** `sessions rename`. */
export async function renameSession(
  context: Context,
  screen: Screen,
  [given, ...words]: readonly [session: string, ...words: string[]],
  options: ChangeSessionsOptions,
): Promise<ExitCode> {
  const title = words.join(' ').trim();
  if (title === '') throw usageError('expected a title, got nothing');
  return withHost(context, screen, options, async ({ client }) => {
    const session = await findSession(client, given);
    await change(client, session, { type: 'session/titleChanged', title });
    tell(screen, options, 'renamed', { ...session, title });
    return EXIT.done;
  });
}

async function change(client: AhpClient, { resource }: SessionSummary, action: ClientAction): Promise<void> {
  checkAccepted(await client.dispatch(resource, action), `${shortId(resource)} was not changed`);
}

function tell(
  screen: Screen,
  { json }: ChangeSessionsOptions,
  what: 'removed' | 'archived' | 'unarchived' | 'renamed',
  { resource, title }: SessionSummary,
): void {
  if (json === true) screen.json({ type: what, session: resource, ...(what === 'renamed' ? { title } : {}) });
  else screen.line(`${what} ${shortId(resource)}  ${oneLine(title)}`.trimEnd());
}

async function findAll(client: AhpClient, given: readonly string[]): Promise<SessionSummary[]> {
  const sessions = new Map<string, SessionSummary>();
  for (const text of given) {
    const session = await findSession(client, text);
    sessions.set(session.resource, session);
  }
  return [...sessions.values()];
}

/** Options of `sessions fork` as parsed. */
export interface ForkOptions extends HostOptions {
  readonly at?: string;
  readonly json?: boolean;
}

/** `sessions fork`: a new session that begins as a copy of another, up to one of its turns. */
export async function forkSession(
  context: Context,
  screen: Screen,
  given: string,
  options: ForkOptions,
): Promise<ExitCode> {
  return withHost(context, screen, options, async ({ client }) => {
    const { resource, status } = await findSession(client, given);
    const turnId = options.at ?? (await lastTurnOf(client, resource));
    screen.status('forking the session');
    const fork = await client.sessions.create({ 'x-fork': { session: resource, turnId }, turns: 0 });
    screen.status(undefined);
    // A fork of a read session has nothing unread.
    if ((status & SessionStatus.IsRead) !== 0) await fork.setRead(true);
    if (options.json === true) {
      const { uri } = fork.chat.mirror;
      screen.json({ type: 'forked', session: fork.uri, chat: uri, from: resource, turnId });
    } else screen.line(`${shortId(fork.uri)}  ${oneLine(fork.mirror.state.title)}`.trimEnd());
    fork.dispose();
    return EXIT.done;
  });
}

/** `sessions aside`: a chat beside the default chat, whose agent knows that chat up to one of its turns [CHAT-39]. */
export async function startSideChat(
  context: Context,
  screen: Screen,
  given: string,
  options: ForkOptions,
): Promise<ExitCode> {
  return withHost(context, screen, options, async ({ client }) => {
    const { resource } = await findSession(client, given);
    const session = await client.sessions.open(resource, { turns: 1 });
    const { activeTurn, turns } = session.chat.mirror.confirmed;
    const turnId = options.at ?? activeTurn?.id ?? turns.at(-1)?.id;
    if (turnId === undefined) throw new CliError(EXIT.error, 'the session has no turn yet');
    const chat = await session.startSideChat(turnId, { turns: 0 });
    const { uri } = chat.mirror;
    if (options.json === true) screen.json({ type: 'sideChat', session: resource, chat: uri, turnId });
    else screen.line(shortId(uri));
    chat.dispose();
    session.dispose();
    return EXIT.done;
  });
}

async function lastTurnOf(client: AhpClient, uri: URI): Promise<string> {
  const session = await client.sessions.open(uri, { turns: 1 });
  const last = session.chat.mirror.confirmed.turns.at(-1);
  session.dispose();
  if (last === undefined) throw new CliError(EXIT.error, 'no turn of the session has ended yet');
  return last.id;
}
