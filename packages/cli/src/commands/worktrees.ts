import type { AhpClient } from '@agenthost/client';
import type { URI, WorktreeInfo } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { withHost } from '../host-link/connect.ts';
import type { HostOptions } from '../host-link/find-host.ts';
import { findChat, findSession, idOf, shortId } from '../input/ids.ts';
import type { Context } from '../process/context.ts';
import { CliError, EXIT, type ExitCode, usageError } from '../process/exit.ts';
import { commandLine } from '../process/own-command.ts';
import { homely, oneLine } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';
import { ago } from '../render/session-line.ts';
import { shownPath } from '../render/tool-call.ts';

/** Options of `worktrees` and what is below it, as parsed. */
export interface WorktreesOptions extends HostOptions {
  readonly json?: boolean;
}

/** Options of `worktrees remove`. */
export interface RemoveWorktreesOptions extends WorktreesOptions {
  readonly discard?: boolean;
}

/** Options of `worktrees new`. */
export interface NewWorktreeOptions extends WorktreesOptions {
  readonly base?: string;
  readonly chat?: string;
}

/** `worktrees`: one line each, the oldest first. */
export async function listWorktrees(
  context: Context,
  screen: Screen,
  options: WorktreesOptions,
): Promise<ExitCode> {
  return withHost(context, screen, options, async ({ client }) => {
    const items = await client.sessions.worktrees.list();
    screen.list(items, {
      ...options,
      none: 'no session has a worktree',
      columns: 'ID           AGE  SESSION   BRANCH, BASE, STATE, FOLDER',
      line: (item) => lineOf(item, context.home),
    });
    return EXIT.done;
  });
}

/** `worktrees merge`. */
export const mergeWorktree = (
  context: Context,
  screen: Screen,
  given: string,
  options: WorktreesOptions,
): Promise<ExitCode> =>
  act(context, screen, { given: [given], options }, (client, id) => client.sessions.worktrees.merge(id));

/** `worktrees open`. */
export const openWorktree = (
  context: Context,
  screen: Screen,
  given: string,
  options: WorktreesOptions,
): Promise<ExitCode> =>
  act(context, screen, { given: [given], options }, (client, id) => client.sessions.worktrees.open(id));

/** `worktrees remove`. */
export const removeWorktrees = (
  context: Context,
  screen: Screen,
  given: readonly string[],
  options: RemoveWorktreesOptions,
): Promise<ExitCode> =>
  act(context, screen, { given, options }, (client, id) =>
    client.sessions.worktrees.remove(id, { discard: options.discard === true }),
  );

/** `worktrees new`. */
export async function newWorktree(
  context: Context,
  screen: Screen,
  given: string,
  options: NewWorktreeOptions,
): Promise<ExitCode> {
  return withHost(context, screen, options, async ({ client }) => {
    const { resource } = await findSession(client, given);
    const chat = options.chat === undefined ? undefined : await chatOf(client, resource, options.chat);
    screen.status('making a worktree');
    const { worktree, directory } = await client.sessions.worktrees.create(resource, {
      ...defined({ base: options.base, chat }),
    });
    screen.status(undefined);
    if (options.json === true) screen.json({ ...worktree, directory });
    else screen.line(lineOf(worktree, context.home));
    return EXIT.done;
  });
}

async function chatOf(client: AhpClient, session: URI, given: string): Promise<URI> {
  const mirror = await client.subscribe(session, { kind: 'session' });
  try {
    return findChat(mirror.state, given, session).resource;
  } finally {
    mirror.dispose();
  }
}

async function act(
  context: Context,
  screen: Screen,
  { given, options }: { readonly given: readonly string[]; readonly options: WorktreesOptions },
  deed: (client: AhpClient, id: string) => Promise<string>,
): Promise<ExitCode> {
  return withHost(context, screen, options, async ({ client }) => {
    const items = await client.sessions.worktrees.list();
    // All of them first, so that a mistyped id changes nothing.
    for (const { id } of new Set(given.map((each) => find(items, each)))) {
      const message = await deed(client, id);
      if (options.json === true) screen.json({ id, message });
      else screen.line(oneLine(message, 1_000));
    }
    return EXIT.done;
  });
}

function find(items: readonly WorktreeInfo[], given: string): WorktreeInfo {
  const isOf = ({ id, session }: WorktreeInfo): boolean =>
    id.startsWith(given) || session === given || (session !== undefined && idOf(session).startsWith(given));
  const matches = given === '' ? [] : items.filter(isOf);
  const match = matches.find(({ id }) => id === given) ?? matches[0];
  if (match === undefined)
    throw new CliError(
      EXIT.error,
      `no worktree is called ${oneLine(given)}; \`${commandLine('worktrees')}\` lists them`,
    );
  if (matches.length > 1 && match.id !== given)
    throw usageError(`${oneLine(given)} matches ${matches.length} worktrees: give more of the id`);
  return match;
}

/** `9c1f2a3b   3 min  4f2a91c0  agenthost/fix-login  main +2 -0  1 file changed  ~/…/worktrees/9c1f2a3b/app` */
function lineOf(item: WorktreeInfo, home: string): string {
  const {
    id,
    session,
    branch,
    base,
    ahead,
    behind,
    uncommittedChanges = 0,
    state,
    createdAt,
    uri,
    note,
  } = item;
  const kind = /^[0-9a-f]{40,64}$/.test(base) ? base.slice(0, 10) : oneLine(base, 60);
  const counts = ahead === undefined || behind === undefined ? '' : ` +${ahead} -${behind}`;
  const files = uncommittedChanges === 1 ? '1 file changed' : `${uncommittedChanges} files changed`;
  const facts = [
    oneLine(id.slice(0, 8)),
    ago(createdAt, Date.now()).padStart(6),
    session === undefined ? 'no session' : shortId(session),
    branch === undefined ? 'no branch' : oneLine(branch, 80),
    `${kind}${counts}`,
    ...(state === 'ready' ? (uncommittedChanges === 0 ? [] : [files]) : [state]),
    homely(shownPath(uri), home),
    ...(note === undefined ? [] : [`(${oneLine(note, 200)})`]),
  ];
  return facts.join('  ');
}
