import {
  type ChatState,
  type ExportedSession,
  type ImportSessionParams,
  type ImportSessionResult,
  invalidParams,
  type ProjectInfo,
  type SessionConfigState,
  type SessionState,
  SessionStatus,
  sessionAlreadyExists,
  sessionNotFound,
} from '@agenthost/protocol';
import { metadataOf } from '../../../config/session-keys.ts';
import type { Timers } from '../../../lib/clock.ts';
import type { Channel } from '../../../sync/channel.ts';
import { noteImported } from '../../../sync/importing.ts';
import { newChatUri, summaryOf } from '../../../sync/new-chat.ts';
import { readTurn, WINDOW_LIMITS, withTurns } from '../../../sync/window.ts';
import type { Presence } from '../../../wire/presence.ts';
import type { Commands } from '../../../wire/router.ts';
import type { Caller } from '../../module.ts';
import { checkNewUri } from '../../new-uri.ts';
import { entryRow, summarize } from '../catalogue.ts';
import { checkFree, newConfig, removeSession, resolveConfig, type SessionParts } from '../commands.ts';
import { inheritedConfig } from '../fork.ts';
import { ImportedChatRows } from './imported-chat.ts';
import { chatOf, type OpenImport, OpenImports } from './imports.ts';
import { checkTimes } from './times.ts';
import { UnfinishedContent } from './unfinished-content.ts';

/** Bits of the exported status that a copy keeps: what people have set. */
const KEPT_STATUS = SessionStatus.IsRead | SessionStatus.IsArchived;

/** Keys of the exported config that a copy takes. */
const TAKEN_KEYS: ReadonlySet<string> = new Set(['instructions', 'metadata']);

/**
 * `x-importSession`, `x-importTurns`, `x-finishImport`: an exported session comes in piece by piece. Its turns are rows of the journal at
 * once, and its chats become channels at the end, so that nobody sees half of it or talks in it. Cut off by a kill, it is
 * `creationFailed` after the next start.
 */
export function importCommands(
  parts: SessionParts & { readonly timers: Timers; readonly presence: Presence },
): Commands {
  const { sync } = parts;
  const imports = new OpenImports({
    ...parts,
    remove: (uri) => {
      const session = sync.registry.getOf('session', uri);
      if (session === undefined) return;
      sync.path.transact('host', () => {
        if (session.isAlive) removeSession(parts, session);
      });
    },
  });
  return {
    'x-importSession': (params, caller) => beginImport(parts, imports, params, caller),
    'x-importTurns': ({ channel, chat, ...more }, caller) => {
      const opened = imports.of(channel, caller.clientId);
      const rows = chatOf(opened, chat);
      if (sync.registry.getOf('session', channel)?.isAlive !== true) throw sessionNotFound(channel);
      sync.path.transact('client', () => rows.add(more));
      return null;
    },
    'x-finishImport': async ({ channel }, caller) => {
      await finishImport(parts, imports, imports.of(channel, caller.clientId));
      return null;
    },
  };
}

async function beginImport(
  parts: SessionParts,
  imports: OpenImports,
  params: ImportSessionParams,
  caller: Caller,
): Promise<ImportSessionResult> {
  const { sync, ids } = parts;
  const { channel: uri, session: exported } = params;
  checkNewUri('channel', uri, 'session');
  checkTimes(exported, params.chats);
  await checkFree(sync, uri);
  imports.checkRoom();
  const names = new Map(params.chats.map(({ resource }) => [resource, newChatUri(ids)]));
  if (names.size < params.chats.length) throw invalidParams('params.chats: two of them have the same URI');
  const provider = parts.agents.get(params.provider ?? exported.provider);
  const isMoved = params.workingDirectory !== undefined;
  // A folder that only the file names opens no more than the roots do, whoever imports it: clients read there, and agents work there.
  const bound = isMoved ? caller : { ...caller, isAdmin: false };
  const directory = await parts.resolveDirectory(params.workingDirectory ?? exported.workingDirectory, bound);
  for (const { workingDirectory } of params.chats) {
    if (!isMoved && workingDirectory !== undefined) await parts.resolveDirectory(workingDirectory, bound);
  }
  const { schema } = await resolveConfig(parts, provider, directory.path, {});
  const config = await newConfig(
    parts,
    provider,
    directory.path,
    inheritedConfig(takenConfig(exported.config), schema),
  );
  const project = await parts.findProject(directory.path);
  await checkFree(sync, uri);
  const newNameOf = (old: string): string | undefined =>
    names.get(old) ?? (old === exported.resource ? uri : undefined);
  const unfinished = new UnfinishedContent();
  const chats = params.chats.map(
    (head) =>
      new ImportedChatRows({
        uri: newNameOf(head.resource) ?? newChatUri(ids),
        session: uri,
        head,
        newNameOf,
        sync,
        ids,
        unfinished,
      }),
  );
  const defaultChat =
    chats.find((chat) => chat.isFull && chat.source === exported.defaultChat) ??
    chats.find(({ isFull }) => isFull);
  if (defaultChat === undefined) throw invalidParams('params.chats: none is one that people can write to');
  imports.checkRoom();
  sync.path.transact('client', () => {
    const session = addSession(parts, uri, chats, {
      exported,
      provider: provider.id,
      directory: directory.uri,
      project,
      config,
    });
    const { clientId } = caller;
    imports.add({ session: uri, clientId, chats, defaultChat, isMoved, release: session.pin() });
    sync.path.undo(() => imports.finish(uri));
  });
  return { chats: chats.map(({ source, uri: chat }) => ({ source, chat })) };
}

/**
 * What a file may say about the config: what is only text. Exports are passed on, and a file must not decide what its session does without
 * asking, nor how its agent is set up: those are as in any new session here.
 */
function takenConfig(values: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([key]) => TAKEN_KEYS.has(key)));
}

function addSession(
  { sync, onListed }: SessionParts,
  uri: string,
  chats: readonly ImportedChatRows[],
  init: {
    readonly exported: ExportedSession;
    readonly provider: string;
    readonly directory: string;
    readonly project: ProjectInfo | undefined;
    readonly config: SessionConfigState;
  },
): Channel<'session'> {
  const { exported } = init;
  const { metadata: _, ...foreign } = exported._meta ?? {};
  const metadata = metadataOf(init.config.values);
  const meta = Object.keys(metadata).length === 0 ? foreign : { ...foreign, metadata };
  if (sync.registry.get(uri) !== undefined) throw sessionAlreadyExists(uri);
  const state: SessionState = {
    provider: init.provider,
    title: exported.title,
    status: SessionStatus.Idle | (exported.status & KEPT_STATUS),
    workingDirectory: init.directory,
    ...(init.project === undefined ? {} : { project: init.project }),
    lifecycle: 'creating',
    activeClients: [],
    chats: [],
    config: init.config,
    ...(Object.keys(meta).length === 0 ? {} : { _meta: meta }),
  };
  const summary = summarize(uri, state, new Date(sync.stamp()).toISOString());
  const titledBy = exported.title === '' ? 'nobody' : 'client';
  const local = { summary, titledBy, importing: chats.map((chat) => chat.uri) } as const;
  const session = sync.registry.create({ uri, kind: 'session', state, local }, sync.emittedSeq);
  sync.path.write(entryRow(summary));
  sync.path.write({ op: 'markOpen', uri });
  sync.notifyRoot('root/sessionAdded', { channel: sync.root.uri, summary });
  onListed(uri, 1);
  return session;
}

async function finishImport(parts: SessionParts, imports: OpenImports, opened: OpenImport): Promise<void> {
  const { sync, turns } = parts;
  const { session: uri, chats, defaultChat } = opened;
  const made = await sync.path.boundary(
    () => undefined,
    () => Promise.all(chats.map((chat) => chatState(parts, opened, chat))),
  );
  const session = sync.registry.getOf('session', uri);
  // Disposed of meanwhile.
  if (session?.isAlive !== true || session.local.importing === undefined) throw sessionNotFound(uri);
  sync.path.transact('client', () => {
    for (const [index, state] of made.entries()) {
      const turnCount = chats[index]?.turnCount ?? 0;
      sync.registry.create(
        { uri: state.resource, kind: 'chat', session: uri, state, local: { turnCount } },
        sync.emittedSeq,
      );
      sync.emit(session, { type: 'session/chatAdded', summary: summaryOf(state) });
    }
    sync.emit(session, { type: 'session/defaultChatChanged', defaultChat: defaultChat.uri });
    noteImported(sync, session);
    imports.finish(uri);
    sync.path.undo(() => imports.add({ ...opened, release: session.pin() }));
    sync.path.effect(() => turns.begin(uri, defaultChat.uri));
  });
}

/** A chat with its newest turns, as it is in memory. */
async function chatState(
  { sync }: SessionParts,
  { session, isMoved }: OpenImport,
  chat: ImportedChatRows,
): Promise<ChatState> {
  const own = isMoved ? undefined : chat.workingDirectory;
  const empty = chat.finished(own);
  if (!sync.registry.getOf('session', session)?.isAlive) throw sessionNotFound(session);
  const rows = await sync.journal.readTurns(chat.uri, WINDOW_LIMITS);
  return withTurns(empty, rows.map(readTurn), chat.turnCount - rows.length);
}
