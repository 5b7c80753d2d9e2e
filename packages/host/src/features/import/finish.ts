import { type ChatState, findChat, sessionNotFound } from '@agenthost/protocol';
import type { Channel } from '../../sync/channel.ts';
import { noteImported } from '../../sync/importing.ts';
import { summaryOf } from '../../sync/new-chat.ts';
import type { Sync } from '../../sync/sync.ts';
import type { Tx } from '../../sync/tx.ts';
import { readTurn, WINDOW_LIMITS, withTurns } from '../../sync/window.ts';
import type { AttachmentStore } from '../../turns/contents/attachment-store.ts';
import type { TurnSupervisor } from '../../turns/supervisor.ts';
import type { ImportedChatRows } from './imported-chat.ts';
import type { OpenImport, OpenImports } from './imports.ts';

/** Number of chats that one transaction creates. It blocks the host for some hundredths of a second. */
export const SLICE_CHATS = 100;

/** Services for the end of an import. */
interface FinishParts {
  readonly sync: Sync;
  readonly turns: TurnSupervisor;
  readonly attachments: AttachmentStore;
}

/**
 * Turns the chats of an import into channels, in slices, and then opens the agent. Until then the session is
 * `creating`, and its chats accept no actions; a killed host leaves none of them. If a transaction fails, the
 * created chats stay, and the client may retry.
 */
export async function finishImport(
  parts: FinishParts,
  imports: OpenImports,
  opened: OpenImport,
): Promise<void> {
  const paused = imports.pauseFor(opened.session);
  try {
    for (let from = 0; from < opened.chats.length; from += SLICE_CHATS)
      await makeSlice(parts, opened, opened.chats.slice(from, from + SLICE_CHATS));
    complete(parts, imports, opened);
  } finally {
    paused.resume();
  }
}

async function makeSlice(
  parts: FinishParts,
  opened: OpenImport,
  slice: readonly ImportedChatRows[],
): Promise<void> {
  const { sync } = parts;
  const isMade = ({ uri }: ImportedChatRows): boolean =>
    findChat(sessionOf(sync, opened).state.chats, uri) !== undefined;
  const missing = slice.filter((chat) => !isMade(chat));
  if (missing.length === 0) return;
  const states = await sync.afterCommit(() =>
    Promise.all(missing.map((chat) => chatState(sync, opened, chat))),
  );
  const session = sessionOf(sync, opened);
  await sync.commit('client', (tx) => {
    for (const [index, state] of states.entries())
      makeChat(tx, parts, session, {
        state,
        turnCount: missing[index]?.turnCount ?? 0,
        isDefault: state.resource === opened.defaultChat.uri,
      });
  });
  await sync.path.nextTurn();
}

/** The imported session. Throws `-32001` if it was disposed of. */
function sessionOf(sync: Sync, { session: uri }: OpenImport): Channel<'session'> {
  const session = sync.registry.getOf('session', uri);
  if (session?.isAlive !== true || session.hostData.importing === undefined) throw sessionNotFound(uri);
  return session;
}

function makeChat(
  tx: Tx,
  { sync, attachments }: FinishParts,
  session: Channel<'session'>,
  { state: imported, turnCount, isDefault }: { state: ChatState; turnCount: number; isDefault: boolean },
): void {
  // Worker chats go where the chat goes that they work for [SESS-29].
  const isMovable = !isDefault && imported.origin?.kind !== 'tool';
  const { movable: _, ...rest } = withDraft(tx, attachments, session.uri, imported);
  const state: ChatState = isMovable ? { ...rest, movable: true } : rest;
  const { resource: uri } = state;
  sync.registry.create(
    tx,
    { uri, kind: 'chat', session: session.uri, state, hostData: { turnCount } },
    sync.emittedSeq,
  );
  tx.emit(session, { type: 'session/chatAdded', summary: summaryOf(state) });
  // Set the default chat at once. Without one, each added chat is compared with all others [SESS-5].
  if (isDefault) tx.emit(session, { type: 'session/defaultChatChanged', defaultChat: uri });
}

function complete({ sync, turns }: FinishParts, imports: OpenImports, opened: OpenImport): void {
  const { session: uri, defaultChat } = opened;
  const session = sessionOf(sync, opened);
  sync.transact('client', (tx) => {
    noteImported(tx, session);
    imports.finish(uri);
    tx.undo(() => imports.add({ ...opened, release: session.pin() }));
    tx.effect(() => turns.begin(uri, defaultChat.uri));
  });
}

/** An imported chat with large attachments of its draft stored outside of state. */
function withDraft(tx: Tx, attachments: AttachmentStore, session: string, state: ChatState): ChatState {
  if (state.draft === undefined) return state;
  const draft = attachments.storeWaiting(tx, { session, chat: state.resource }, state.draft);
  return draft === state.draft ? state : { ...state, draft };
}

/** A chat with its newest turns, in the form that is kept in memory. */
async function chatState(sync: Sync, { isMoved }: OpenImport, chat: ImportedChatRows): Promise<ChatState> {
  const empty = chat.finished(isMoved ? undefined : chat.workingDirectories);
  const rows = await sync.journal.readTurns(chat.uri, WINDOW_LIMITS);
  return withTurns(empty, rows.map(readTurn), chat.turnCount - rows.length);
}
