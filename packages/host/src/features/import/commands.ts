import {
  conflict,
  type ExportedChatHead,
  type ExportedSession,
  excess,
  fitTexts,
  type ImportSessionParams,
  type ImportSessionResult,
  invalidParam,
  LIST_LIMITS,
  type ProjectInfo,
  type SessionConfigState,
  type SessionState,
  SessionStatus,
  sessionAlreadyExists,
  sessionNotFound,
} from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { metadataOf } from '../../config/session-keys.ts';
import type { Caller } from '../../handler-port/channel-module.ts';
import type { Commands } from '../../handler-port/commands.ts';
import { checkNewUri } from '../../handler-port/new-uri.ts';
import type { Timers } from '../../lib/clock.ts';
import { entryRow, summarize } from '../../sessions/catalogue.ts';
import { removeSession } from '../../sessions/disposal.ts';
import { inheritedConfig } from '../../sessions/fork.ts';
import { checkFree, newConfig, resolveConfig, resolveDirectories } from '../../sessions/new-session.ts';
import type { SessionParts } from '../../sessions/parts.ts';
import type { Channel } from '../../sync/channel.ts';
import { newChatUri } from '../../sync/new-chat.ts';
import type { Tx } from '../../sync/tx.ts';
import type { AttachmentStore } from '../../turns/contents/attachment-store.ts';
import type { Presence } from '../../wire/clients/client-lives.ts';
import { finishImport } from './finish.ts';
import { ImportedChatRows } from './imported-chat.ts';
import { chatOf, OpenImports } from './imports.ts';
import { UnfinishedContent } from './unfinished-content.ts';

/** Bits of the exported status that users set, which a copy keeps. */
const KEPT_STATUS = SessionStatus.IsRead | SessionStatus.IsArchived;

/** Keys of the exported config that a copy keeps. */
const TAKEN_KEYS: ReadonlySet<string> = new Set(['instructions', 'metadata']);

/** Services for imports, besides those for new sessions. */
export interface ImportParts extends SessionParts {
  readonly timers: Timers;
  readonly presence: Presence;
  /** Aborts when the host stops. */
  readonly stopping: AbortSignal;
  readonly attachments: AttachmentStore;
}

/**
 * `x-importSession`, `x-importTurns`, `x-finishImport`: import a session in pieces. Its turns are stored as
 * rows at once, and its chats become channels at the end, in slices (`finish.ts`). Until then the chats
 * accept no actions. After a kill the session is `failed` at the next start.
 */
export function importCommands(parts: ImportParts): Commands {
  const { sync } = parts;
  const imports = new OpenImports({
    ...parts,
    remove: (uri) => {
      const session = sync.registry.getOf('session', uri);
      if (session === undefined) return;
      sync.transact('host', (tx) => {
        if (session.isAlive) removeSession(tx, parts, session);
      });
    },
  });
  return {
    'x-importSession': (params, caller) => beginImport(parts, imports, params, caller),
    'x-importTurns': ({ channel, chat, ...more }, caller) => {
      const opened = imports.of(channel, caller.clientId);
      const rows = chatOf(opened, chat);
      if (sync.registry.getOf('session', channel)?.isAlive !== true) throw sessionNotFound(channel);
      sync.transact('client', (tx) => rows.add(tx, more));
      return null;
    },
    'x-finishImport': async ({ channel }, caller) => {
      await finishImport(parts, imports, imports.of(channel, caller.clientId));
      return null;
    },
  };
}

async function beginImport(
  parts: ImportParts,
  imports: OpenImports,
  params: ImportSessionParams,
  caller: Caller,
): Promise<ImportSessionResult> {
  const { sync, ids } = parts;
  const { channel: uri } = params;
  // Another host may have had other limits.
  const { session: exported, chats: heads } = fitTexts(
    { session: params.session, chats: params.chats },
    'x-importSession',
  );
  checkNewUri('channel', uri, 'session');
  const { max } = LIST_LIMITS.chats;
  if (heads.length > max) throw invalidParam('chats', excess(max, 'members', heads.length));
  checkTimes(exported, heads);
  await checkFree(sync, uri);
  imports.checkRoom();
  const names = new Map(heads.map(({ resource }) => [resource, newChatUri(ids)]));
  if (names.size < heads.length) throw invalidParam('chats', 'two chats have the same URI');
  const provider = parts.agents.get(params.provider ?? exported.provider);
  const isMoved = params.workingDirectories !== undefined;
  // A folder named only by the file must be within the roots, even for an admin, because clients read there
  // and agents work there.
  const bound = isMoved ? caller : { ...caller, isAdmin: false };
  const directories = await resolveDirectories(
    parts,
    provider,
    params.workingDirectories ?? exported.workingDirectories,
    bound,
  );
  const [directory] = directories;
  if (!isMoved)
    for (const uri of heads.flatMap(({ workingDirectories = [] }) => workingDirectories))
      await parts.resolveDirectory(uri, bound);
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
  const chats = heads.map(
    (head) =>
      new ImportedChatRows({
        uri: newNameOf(head.resource) ?? newChatUri(ids),
        session: uri,
        head,
        newNameOf,
        sync,
        ids,
        unfinished,
        attachments: parts.attachments,
      }),
  );
  const defaultChat =
    chats.find((chat) => chat.isFull && chat.source === exported.defaultChat) ??
    chats.find(({ isFull }) => isFull);
  if (defaultChat === undefined) throw invalidParam('chats', 'expected a chat that users can write to');
  imports.checkRoom();
  // The client has left or the host stops. No part of the host would end the import.
  if (!parts.presence.isPresent(caller.clientId)) throw conflict(`The client that imports ${uri} has left`);
  sync.transact('client', (tx) => {
    const session = addSession(tx, parts, uri, {
      chats,
      exported,
      provider: provider.id,
      directories: directories.map((each) => each.uri),
      project,
      config,
    });
    const { clientId } = caller;
    const byUri = new Map(chats.map((chat) => [chat.uri, chat]));
    imports.add({ session: uri, clientId, chats, byUri, defaultChat, isMoved, release: session.pin() });
    tx.undo(() => imports.finish(uri));
  });
  return { chats: chats.map(({ source, uri: chat }) => ({ source, chat })) };
}

/**
 * The parts of a file's config that are only text. Exported files are passed on, so a file must not disable
 * approvals or configure the agent. Those values are the defaults of a new session.
 */
function takenConfig(values: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([key]) => TAKEN_KEYS.has(key)));
}

function addSession(
  tx: Tx,
  { sync, listing }: SessionParts,
  uri: string,
  init: {
    readonly chats: readonly ImportedChatRows[];
    readonly exported: ExportedSession;
    readonly provider: string;
    readonly directories: string[];
    readonly project: ProjectInfo | undefined;
    readonly config: SessionConfigState;
  },
): Channel<'session'> {
  const { exported, chats } = init;
  const { metadata: _, ports: __, ...foreign } = exported._meta ?? {};
  const metadata = metadataOf(init.config.values);
  const meta = Object.keys(metadata).length === 0 ? foreign : { ...foreign, metadata };
  if (sync.registry.get(uri) !== undefined) throw sessionAlreadyExists(uri);
  const state: SessionState = {
    provider: init.provider,
    title: exported.title,
    status: SessionStatus.Idle | (exported.status & KEPT_STATUS),
    workingDirectories: init.directories,
    ...defined({ project: init.project }),
    lifecycle: 'creating',
    activeClients: [],
    chats: [],
    config: init.config,
    ...(Object.keys(meta).length === 0 ? {} : { _meta: meta }),
  };
  const summary = summarize(uri, state, new Date(sync.stamp()).toISOString());
  const titledBy = exported.title === '' ? 'nobody' : 'client';
  const hostData = { summary, titledBy, importing: chats.map((chat) => chat.uri) } as const;
  const session = sync.registry.create(tx, { uri, kind: 'session', state, hostData }, sync.emittedSeq);
  tx.write(entryRow(summary));
  tx.write({ op: 'markOpen', uri });
  tx.notifyRoot('root/sessionAdded', { channel: sync.root.uri, summary });
  listing.changed(tx, uri, 1);
  return session;
}

const ISO_TIME = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?$/;

/** Throws `-32602` if a time in an exported session is not in ISO 8601. */
function checkTimes(session: ExportedSession, chats: readonly ExportedChatHead[]): void {
  const times: readonly (readonly [name: string, time: string | undefined])[] = [
    ['session.createdAt', session.createdAt],
    ['session.modifiedAt', session.modifiedAt],
    ...chats.map(({ modifiedAt }, index) => [`chats[${index}].modifiedAt`, modifiedAt] as const),
  ];
  for (const [name, time] of times) {
    if (time === undefined || (ISO_TIME.test(time) && !Number.isNaN(Date.parse(time)))) continue;
    throw invalidParam(
      name,
      `${JSON.stringify(time.slice(0, 100))} is not a time such as 2026-05-31T14:00:00Z`,
    );
  }
}
