import type { ChangesSummary } from '@agenthost/protocol';
import { sameJson } from '@agenthost/protocol/values';
import type { Channel } from '../../sync/channel.ts';
import type { Sync } from '../../sync/sync.ts';
import type { TurnParts } from '../../turns/parts.ts';
import type { Git } from '../../workspace/git/git.ts';
import { trackingRepository } from '../../workspace/git/tracking-repository.ts';
import { findRealPath } from '../../workspace/real-path.ts';
import type { ChangeSource } from './source.ts';
import { type ChangesetSubject, chatCatalogue, sessionCatalogue } from './uris.ts';

interface Parts {
  readonly sync: Sync;
  readonly git: Git;
  readonly workingDirectoryOf: TurnParts['workingDirectoryOf'];
}

/** Adds the catalogue of a session, and that of one of its chats, where they are missing or have changed [CS-1] [CHAT-43]. */
export async function addCatalogues(
  { sync, git, workingDirectoryOf }: Parts,
  of: { readonly session: string; readonly chat?: string },
): Promise<void> {
  const session = await sync.registry.openOf('session', of.session);
  const uri = of.chat ?? session?.state.defaultChat ?? session?.state.chats[0]?.resource;
  const chat = uri === undefined ? undefined : await sync.registry.openOf('chat', uri);
  if (session === undefined || chat === undefined) return;
  const { path } = await findRealPath(await workingDirectoryOf(session, chat));
  const changesets = sessionCatalogue(session.uri, (await trackingRepository(git, path)) !== undefined);
  const ofChat = chatCatalogue(chat.uri);
  sync.transact('host', (tx) => {
    if (session.isAlive && !sameJson(session.state.changesets, changesets))
      tx.emit(session, { type: 'session/changesetsChanged', changesets });
    if (of.chat !== undefined && chat.isAlive && !sameJson(chat.state.changesets, ofChat))
      tx.emit(chat, { type: 'chat/changesetsChanged', changesets: ofChat });
  });
}

/**
 * Shows the size of the changes that are recorded of some chats of a session, in their states and in the session [CHAT-44]. Rejects as
 * `ChangeSource.recorded` does.
 */
export async function showCounts(
  sync: Sync,
  source: ChangeSource,
  of: { readonly session: string; readonly chats: readonly string[] },
): Promise<void> {
  const session = await sync.registry.openOf('session', of.session);
  if (session === undefined) return;
  const counted: { readonly chat: Channel<'chat'>; readonly changes: ChangesSummary }[] = [];
  for (const uri of of.chats) {
    const chat = await sync.registry.openOf('chat', uri);
    if (chat === undefined) continue;
    const changes = await sizeOf(source, { kind: 'chat', chat: uri });
    if (!sameJson(chat.state.changes ?? NOTHING, changes)) counted.push({ chat, changes });
  }
  const [first] = counted;
  if (first === undefined) return;
  // Files that several chats have changed count once.
  const isOnly = session.state.chats.length === 1;
  const all = isOnly ? first.changes : await sizeOf(source, { kind: 'session', session: session.uri });
  sync.transact('host', (tx) => {
    if (!session.isAlive) return;
    tx.setHostData(session, { ...session.hostData, changes: all });
    for (const { chat, changes } of counted) {
      if (!chat.isAlive) continue;
      tx.setWindow(chat, { ...chat.state, changes });
      sync.registry.writeSnapshot(tx, chat);
      tx.emit(session, { type: 'session/chatUpdated', chat: chat.uri, changes: { changes } });
    }
  });
}

/** The counts of a chat that has changed nothing, which are not shown. */
const NOTHING: ChangesSummary = { additions: 0, deletions: 0, files: 0 };

async function sizeOf(source: ChangeSource, subject: ChangesetSubject): Promise<Required<ChangesSummary>> {
  const counted = (await source.recorded(subject)).flatMap((folder) => folder.counted);
  return {
    additions: counted.reduce((sum, { lines }) => sum + (lines?.added ?? 0), 0),
    deletions: counted.reduce((sum, { lines }) => sum + (lines?.removed ?? 0), 0),
    files: counted.length,
  };
}
