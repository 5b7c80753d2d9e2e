import type { ChatState, Turn } from '@agenthost/protocol';
import { TEXT_LIMITS } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { beginningOf } from '../lib/beginning-of.ts';
import type { Channel } from './channel.ts';
import type { Sync } from './sync.ts';
import type { Tx } from './tx.ts';
import { findOrdinal, WINDOW_LIMITS, windowOf, withTurns } from './window.ts';

/** The last turn that a copy of a chat contains, and the newest turns up to it. */
export interface ForkPoint {
  readonly source: Channel<'chat'>;
  readonly turnId: string;
  readonly ordinal: number;
  readonly turns: Turn[];
  /** Ordinal of the oldest turn that the source still has. */
  readonly keptFrom: number | undefined;
  readonly historyVersion: number;
}

/**
 * Finds the turn that a copy of a chat ends with, in memory or on disk. `running` if it is the active turn;
 * `undefined` if there is no such turn.
 */
export function findForkPoint(
  sync: Sync,
  source: Channel<'chat'>,
  turnId: string,
): Promise<ForkPoint | 'running' | undefined> {
  // Commit first, so that the rows match the state.
  return sync.path.boundary(
    () => ({
      at: windowOf(source),
      isRunning: source.state.activeTurn?.id === turnId,
      keptFrom: source.hostData.keptFrom,
      historyVersion: source.historyVersion,
    }),
    async ({ at, isRunning, historyVersion, keptFrom }) => {
      if (isRunning) return 'running';
      const ordinal = await findOrdinal(sync.journal, at, turnId);
      if (ordinal === undefined) return undefined;
      const rows = await sync.journal.readTurns(source.uri, { before: ordinal + 1, ...WINDOW_LIMITS });
      // This host wrote the JSON.
      const turns = rows.map(({ json }): Turn => JSON.parse(json));
      return { source, turnId, ordinal, turns, keptFrom, historyVersion };
    },
  );
}

/** Whether the turn is still at the same position. */
export const isCurrent = ({ source, historyVersion }: ForkPoint): boolean =>
  source.isAlive && source.historyVersion === historyVersion;

/**
 * Adds a chat to a session, with the turns up to a fork point if one is given. The journal shares the turn
 * bodies, so the cost does not depend on the length of the history. Call it while the point is current.
 */
export function createChat(
  tx: Tx,
  sync: Sync,
  { session, state: empty, point }: { session: string; state: ChatState; point: ForkPoint | undefined },
): Channel<'chat'> {
  const { resource: uri } = empty;
  const count = point === undefined ? 0 : point.ordinal + 1;
  const keptFrom = point?.keptFrom;
  const state =
    point === undefined ? empty : withTurns(empty, point.turns, count - point.turns.length, keptFrom);
  const hostData = { turnCount: count, ...defined({ keptFrom }) };
  const chat = sync.registry.create(tx, { uri, kind: 'chat', session, state, hostData }, sync.emittedSeq);
  if (point !== undefined) tx.write({ op: 'copyTurns', from: point.source.uri, to: uri, session, count });
  return chat;
}

/**
 * The title of a copy: "Port it (fork)", and "Port it (fork 2)" for a copy of that. '' for an untitled chat.
 */
export function forkTitle(title: string): string {
  if (title === '') return '';
  const [, own = title, count = '1'] = /^(.*) \(fork(?: (\d{1,6}))?\)$/s.exec(title) ?? [];
  const suffix = own === title ? ' (fork)' : ` (fork ${Number(count) + 1})`;
  return `${beginningOf(own, TEXT_LIMITS.name.max - suffix.length)}${suffix}`;
}
