import {
  type ChatSideChatOrigin,
  invalidParam,
  notFound,
  type SideChatSource,
  type Turn,
} from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import type { Ids } from '../../lib/clock.ts';
import type { Channel } from '../../sync/channel.ts';
import type { Sync } from '../../sync/sync.ts';
import type { Tx } from '../../sync/tx.ts';
import { findOrdinal, readTurn, windowOf } from '../../sync/window.ts';

/** Limits of the turns that a side chat takes over: their number, and bytes of their JSON. */
const CONTEXT_LIMITS = { limit: 50, maxBytes: 8 * 1024 * 1024 };

/** Takes the place of a turn id: the content is removed with its chat. */
const CONTEXT = 'context';

/** The start of a side chat: its origin, and the turns that its agent knows and people do not see there [CHAT-39]. */
export interface SideChatStart {
  readonly origin: ChatSideChatOrigin;
  readonly context: readonly Turn[];
}

/** Reads the source of a side chat as it is now. Rejects as [CHAT-38] says. */
export async function findSideChat(
  sync: Sync,
  session: string,
  { chat, turnId, selection }: SideChatSource,
): Promise<SideChatStart> {
  if (selection?.text === '') throw invalidParam('source.selection.text', 'expected a non-empty text');
  const source = await sync.registry.openOf('chat', chat);
  if (source?.isAlive !== true) throw notFound('Chat', chat);
  if (source.session !== session) throw invalidParam('source.chat', `${chat} belongs to another session`);
  const context = await turnsThrough(sync, source, turnId);
  if (context === undefined) throw invalidParam('source.turnId', `${chat} has no turn ${turnId}`);
  return { origin: { kind: 'sideChat', chat, turnId, ...defined({ selection }) }, context };
}

/** The newest turns of a chat up to one of them, which may be the active one. */
function turnsThrough(
  sync: Sync,
  source: Channel<'chat'>,
  turnId: string,
): Promise<readonly Turn[] | undefined> {
  // Commit first, so that the rows match the state.
  return sync.path.boundary(
    () => ({ at: windowOf(source), active: source.state.activeTurn }),
    async ({ at, active }) => {
      const isActive = active?.id === turnId;
      const ordinal = isActive ? undefined : await findOrdinal(sync.journal, at, turnId);
      if (!isActive && ordinal === undefined) return undefined;
      const rows = await sync.journal.readTurns(source.uri, {
        ...CONTEXT_LIMITS,
        ...(ordinal === undefined ? {} : { before: ordinal + 1 }),
      });
      const turns = rows.map(readTurn);
      return isActive ? [...turns, { ...active, state: 'complete' as const }] : turns;
    },
  );
}

/** Stores the hidden turns of a new side chat durably. Returns the id of the content. */
export function storeContext(
  tx: Tx,
  ids: Ids,
  place: { readonly session: string; readonly chat: string },
  context: readonly Turn[],
): string {
  const id = ids.next();
  const data = Buffer.from(JSON.stringify(context));
  tx.write({ op: 'content', ...place, turnId: CONTEXT, id, contentType: 'application/json', data });
  return id;
}

/** Gives a copy of a side chat its hidden turns. Returns the id of the content; `undefined` if the source has none. */
export function copyContext(
  tx: Tx,
  ids: Ids,
  place: { readonly session: string; readonly chat: string },
  source: Channel<'chat'> | undefined,
): string | undefined {
  const from = source?.hostData.context;
  if (from === undefined) return undefined;
  const id = ids.next();
  tx.write({ op: 'copyContent', ...place, turnId: CONTEXT, from, id });
  return id;
}
