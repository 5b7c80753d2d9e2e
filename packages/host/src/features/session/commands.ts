import {
  type AgentInfo,
  authRequired,
  type ChatState,
  type ChatSummary,
  type CreateSessionParams,
  invalidParam,
  type ProjectInfo,
  type SessionActiveClient,
  type SessionConfigPropertySchema,
  type SessionConfigState,
  type SessionConfigValueItem,
  type SessionOrigin,
  type SessionState,
  SessionStatus,
  sessionAlreadyExists,
  sessionNotFound,
} from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import type { AgentProvider, CompleteConfig } from '../../agents/provider.ts';
import type { StartReport } from '../../agents/start-progress.ts';
import { findToolFault } from '../../client-tools/definitions.ts';
import { agentValues, metadataOf } from '../../config/session-keys.ts';
import type { Caller } from '../../handler-port/channel-module.ts';
import type { Commands } from '../../handler-port/commands.ts';
import { checkNewUri } from '../../handler-port/new-uri.ts';
import type { Ids } from '../../lib/clock.ts';
import { summarize } from '../../sessions/catalogue.ts';
import { disposeSession } from '../../sessions/disposal.ts';
import {
  findSessionFork,
  forkedChat,
  inheritedConfig,
  openForkSource,
  passedOn,
  type SessionFork,
} from '../../sessions/fork.ts';
import { checkFree, newConfig, resolveConfig, resolveDirectories } from '../../sessions/new-session.ts';
import type { SessionParts } from '../../sessions/parts.ts';
import type { Channel } from '../../sync/channel.ts';
import { createChat, forkTitle, isCurrent } from '../../sync/fork.ts';
import { newChat, newChatUri, summaryOf } from '../../sync/new-chat.ts';
import type { Tx } from '../../sync/tx.ts';
import { moveChat } from './move-chat.ts';

/** Maximum number of values in one answer. */
const MAX_ITEMS = 100;

/** Values of one `enumDynamic` property [ROOT-4]. Throws `-32602` for other properties. */
async function completeConfig(
  provider: AgentProvider,
  properties: Readonly<Record<string, SessionConfigPropertySchema>>,
  input: CompleteConfig,
): Promise<SessionConfigValueItem[]> {
  const property = Object.hasOwn(properties, input.property) ? properties[input.property] : undefined;
  if (property?.enumDynamic !== true) {
    throw invalidParam(
      'property',
      `expected a property with enumDynamic, got ${input.property.slice(0, 100)}`,
    );
  }
  const items = (await provider.completeConfig?.(input)) ?? fromEnum(property, input.query);
  return items.slice(0, MAX_ITEMS);
}

/** Branches of a folder's repository that contain the text. */
async function completeBase(
  { branches }: Pick<SessionParts, 'branches'>,
  path: string,
  query: string,
): Promise<SessionConfigValueItem[]> {
  const wanted = query.toLowerCase();
  const names = (await branches(path)).filter((name) => name.toLowerCase().includes(wanted));
  return names.slice(0, MAX_ITEMS).map((name) => ({ value: name, label: name }));
}

function fromEnum(
  { enum: values = [], enumLabels = [], enumDescriptions = [] }: SessionConfigPropertySchema,
  query: string,
): SessionConfigValueItem[] {
  const wanted = query.toLowerCase();
  return values.flatMap((value, index) => {
    if (typeof value !== 'string') return [];
    const label = enumLabels[index] ?? value;
    const description = enumDescriptions[index] ?? '';
    const isMatch = [value, label].some((text) => text.toLowerCase().includes(wanted));
    return isMatch ? [{ value, label, ...(description === '' ? {} : { description }) }] : [];
  });
}

/** `createSession`, `disposeSession`, `resolveSessionConfig` [SESS-1] to [SESS-3] [ROOT-4]. */
export function sessionCommands(parts: SessionParts): Commands {
  const { sync, agents } = parts;
  return {
    createSession: async (params, caller) => {
      const { progressToken } = params;
      const report =
        progressToken === undefined ? undefined : parts.progress.open(progressToken, caller.sink);
      try {
        await createSession(parts, { params, caller, report });
      } catch (error) {
        report?.cancel();
        throw error;
      }
      return null;
    },
    disposeSession: async ({ channel }) => {
      await disposeSession(parts, channel);
      return null;
    },
    moveChat: moveChat(parts),
    'x-diskUse': async ({ channel }) => {
      await sync.path.drain();
      const use = await sync.journal.diskUse(channel);
      if (use === undefined) throw sessionNotFound(channel);
      return { ...use };
    },
    resolveSessionConfig: async ({ provider, workingDirectory, config }, caller) => {
      const agent = agents.get(provider);
      const directory = await parts.resolveDirectory(workingDirectory, caller);
      return resolveConfig(parts, agent, directory.path, config ?? {});
    },
    sessionConfigCompletions: async (params, caller) => {
      const { provider, workingDirectory, config = {}, property, query = '' } = params;
      const agent = agents.get(provider);
      const { path } = await parts.resolveDirectory(workingDirectory, caller);
      const { schema } = await resolveConfig(parts, agent, path, config);
      if (property === 'base') return { items: await completeBase(parts, path, query) };
      const values = agentValues(config);
      const items = await completeConfig(agent, schema.properties, {
        property,
        query,
        workingDirectory: path,
        values,
      });
      return { items };
    },
  };
}

/** A session that the host creates for itself. */
export interface OwnSession {
  readonly title: string;
  readonly origin: SessionOrigin;
  /** Whether it is still wanted. Asked in the transaction that would create it. */
  isWanted(): boolean;
  /** Runs in the transaction that creates it. */
  created(tx: Tx, chat: Channel<'chat'>): void;
}

/**
 * Creates a session as `createSession` does, with the same checks and errors. `own`: the host creates it for itself; then the creation waits
 * while the journal cannot be written.
 */
export async function createSession(
  parts: SessionParts,
  {
    params,
    caller,
    report,
    own,
  }: { params: CreateSessionParams; caller: Caller; report?: StartReport | undefined; own?: OwnSession },
): Promise<void> {
  const { sync, agents } = parts;
  const { channel: uri } = params;
  checkNewUri('channel', uri, 'session');
  await checkFree(sync, uri);
  const { 'x-fork': fork } = params;
  const source = fork && (await openForkSource(sync, fork, params.provider));
  const provider = agents.get(params.provider ?? source?.state.provider);
  const wanted = (provider.describe().protectedResources ?? []).filter(
    ({ required, resource }) => required !== false && !parts.isSignedIn(caller.clientId, resource),
  );
  if (wanted.length > 0) throw authRequired(wanted);
  const isMoved = params.workingDirectories !== undefined;
  const directories =
    source === undefined || isMoved
      ? await resolveDirectories(parts, provider, params.workingDirectories, caller)
      : // They were admitted for the source.
        await resolveDirectories(parts, provider, source.state.workingDirectories, {
          ...caller,
          isAdmin: true,
        });
  const [directory] = directories;
  if (params.activeClient !== undefined && params.activeClient.clientId !== caller.clientId) {
    throw invalidParam('activeClient.clientId', 'expected your own clientId');
  }
  const toolFault = findToolFault(params.activeClient?.tools ?? []);
  if (toolFault !== undefined) throw invalidParam('activeClient.tools', toolFault);
  const config = await newConfig(parts, provider, directory.path, {
    ...(source &&
      inheritedConfig(
        passedOn(source.state.config?.values ?? {}, caller.isAdmin),
        (await resolveConfig(parts, provider, directory.path, {})).schema,
      )),
    ...params.config,
  });
  await parts.checkIsolation(directory.path, config.values);
  const project = await parts.findProject(directory.path);
  for (;;) {
    await checkFree(sync, uri);
    const point = source && fork && (await findSessionFork(sync, source, fork.turnId));
    // Another request may have created the URI meanwhile, and the source may have been cut.
    if (sync.registry.get(uri) !== undefined) throw sessionAlreadyExists(uri);
    if (point !== undefined && !isCurrent(point)) continue;
    sync.transact(own === undefined ? 'client' : 'host', (tx) => {
      if (own?.isWanted() === false) return;
      addSession(tx, parts, uri, {
        provider: provider.id,
        directories: directories.map((each) => each.uri),
        project,
        config,
        activeClient: params.activeClient,
        fork: source && point && { source, point, isMoved },
        report,
        unlistedFor: params['x-unlisted'] === true ? caller.clientId : undefined,
        own,
      });
    });
    return;
  }
}

function addSession(
  tx: Tx,
  { sync, ids, turns, listing }: SessionParts,
  uri: string,
  init: {
    provider: AgentInfo['provider'];
    directories: string[];
    project: ProjectInfo | undefined;
    config: SessionConfigState;
    activeClient: SessionActiveClient | undefined;
    report: StartReport | undefined;
    fork: SessionFork | undefined;
    unlistedFor: string | undefined;
    own: OwnSession | undefined;
  },
): void {
  const nowIso = new Date(sync.stamp()).toISOString();
  const { fork, own } = init;
  const chat = fork === undefined ? emptyChat(ids, nowIso) : forkedChat(ids, nowIso, fork);
  const metadata = metadataOf(init.config.values);
  const state: SessionState = {
    provider: init.provider,
    title: own?.title ?? forkTitle(fork?.source.state.title ?? ''),
    ...defined({ origin: own?.origin }),
    status: SessionStatus.Idle,
    workingDirectories: init.directories,
    ...defined({ project: init.project }),
    lifecycle: 'creating',
    activeClients: [],
    chats: [chat.summary],
    defaultChat: chat.state.resource,
    config: init.config,
    ...(Object.keys(metadata).length === 0 ? {} : { _meta: { metadata } }),
  };
  const summary = summarize(uri, state, nowIso);
  const seq = sync.emittedSeq;
  const hostData = {
    summary,
    titledBy: own === undefined ? (fork?.source.hostData.titledBy ?? 'nobody') : 'client',
    ...defined({ unlistedFor: init.unlistedFor, plugins: fork?.source.hostData.plugins }),
  } as const;
  const session = sync.registry.create(tx, { uri, kind: 'session', state, hostData }, seq);
  const first = createChat(tx, sync, { session: uri, state: chat.state, point: fork?.point });
  tx.write({ op: 'markOpen', uri });
  listing.changed(tx, uri, 1, false);
  if (fork !== undefined) listing.copied(tx, session);
  if (init.unlistedFor === undefined) listing.publish(tx, sync, session);
  const { activeClient } = init;
  // A separate action, so that observers of joining clients see it.
  if (activeClient !== undefined) tx.emit(session, { type: 'session/activeClientSet', activeClient });
  init.report?.begin(tx, uri);
  tx.effect(() => turns.begin(uri, chat.state.resource));
  own?.created(tx, first);
}

/** The first chat of a session that is not forked, and its entry in the session's list. */
function emptyChat(ids: Ids, nowIso: string): { state: ChatState; summary: ChatSummary } {
  const state = newChat({ resource: newChatUri(ids), modifiedAt: nowIso });
  return { state, summary: summaryOf(state) };
}
