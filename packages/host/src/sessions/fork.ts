import {
  type ChatState,
  type ChatSummary,
  invalidParam,
  type SessionConfigState,
  type SessionForkSource,
  sessionNotFound,
  turnInProgress,
} from '@agenthost/protocol';
import { findConfigFault } from '../config/values.ts';
import type { Ids } from '../lib/clock.ts';
import type { Channel } from '../sync/channel.ts';
import { type ForkPoint, findForkPoint, forkTitle } from '../sync/fork.ts';
import { newChat, newChatUri, summaryOf } from '../sync/new-chat.ts';
import type { Sync } from '../sync/sync.ts';

/** The source of a forked session [SESS-12]. */
export interface SessionFork {
  readonly source: Channel<'session'>;
  readonly point: ForkPoint;
  /** True if the copy works in another folder than its source. */
  readonly isMoved: boolean;
}

/** The session to copy. Rejects if there is none, or if the request names another agent. */
export async function openForkSource(
  sync: Sync,
  { session }: SessionForkSource,
  provider: string | undefined,
): Promise<Channel<'session'>> {
  const source = await sync.registry.openOf('session', session);
  if (source?.isAlive !== true) throw sessionNotFound(session);
  if (provider !== undefined && provider !== source.state.provider)
    throw invalidParam('provider', `${session} belongs to agent ${source.state.provider}, not ${provider}`);
  return source;
}

/** Number of chats that are searched in one iteration of the event loop. */
const AT_ONCE = 100;

/** Finds the chat that contains the turn, starting with the default chat. Rejects as [SESS-12] says. */
export async function findSessionFork(
  sync: Sync,
  source: Channel<'session'>,
  turnId: string,
): Promise<ForkPoint> {
  const { defaultChat, chats } = source.state;
  const uris = chats.map(({ resource }) => resource);
  const inOrder = [
    ...uris.filter((uri) => uri === defaultChat),
    ...uris.filter((uri) => uri !== defaultChat),
  ];
  // Search on disk, because most of many chats are not in memory and need not be loaded.
  await sync.afterCommit();
  let running: string | undefined;
  for (const [index, uri] of inOrder.entries()) {
    if (index > 0 && index % AT_ONCE === 0) await sync.path.nextTurn();
    if (sync.registry.getOf('chat', uri)?.state.activeTurn?.id === turnId) running = uri;
    if ((await sync.journal.findTurn(uri, turnId)) === undefined) continue;
    const chat = await sync.registry.openOf('chat', uri);
    const point = chat?.isAlive === true ? await findForkPoint(sync, chat, turnId) : undefined;
    if (point !== undefined && point !== 'running') return point;
  }
  if (!source.isAlive) throw sessionNotFound(source.uri);
  if (running !== undefined) throw turnInProgress(running, turnId);
  throw invalidParam('x-fork.turnId', `${source.uri} has no turn ${turnId}`);
}

/**
 * The config values that a copy may take over. As in any session, only an admin may disable approvals
 * [AUTH-1].
 */
export function passedOn(
  values: Readonly<Record<string, unknown>>,
  isAdmin: boolean,
): Readonly<Record<string, unknown>> {
  // A copy works where its source works. Uncommitted files would be missing from a worktree of its own.
  const { isolation: _isolation, base: _base, ...kept } = values;
  if (isAdmin || kept['approvals'] !== 'all') return kept;
  const { approvals: _, ...others } = kept;
  return others;
}

/** The initial config of a copy: the source's values that are still valid. */
export function inheritedConfig(
  values: Readonly<Record<string, unknown>>,
  schema: SessionConfigState['schema'],
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).filter(([key, value]) => findConfigFault(schema, { [key]: value }) === undefined),
  );
}

/** The chat of a forked session, without its turns, and its catalogue entry. */
export function forkedChat(
  ids: Ids,
  nowIso: string,
  { source, point, isMoved }: SessionFork,
): { state: ChatState; summary: ChatSummary } {
  const chat = point.source.uri;
  const entry = source.state.chats.find(({ resource }) => resource === chat);
  const state = newChat({
    resource: newChatUri(ids),
    modifiedAt: nowIso,
    title: forkTitle(entry?.title ?? ''),
    origin: { kind: 'fork', chat, turnId: point.turnId },
    // Agents choose the folders of worker chats. Other chats do not use them.
    workingDirectories: isMoved || entry?.origin?.kind === 'tool' ? undefined : entry?.workingDirectories,
  });
  return { state, summary: summaryOf(state) };
}
