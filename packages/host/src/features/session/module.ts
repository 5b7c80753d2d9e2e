import {
  CHANNEL_LIMITS,
  findChat,
  type SessionAction,
  type SessionConfigState,
  weightOf,
} from '@agenthost/protocol';
import { sameJson } from '@agenthost/protocol/values';
import { defaultApprovals } from '../../config/host-config.ts';
import { type ApprovalPolicy, agentValues, findHostKeyFault } from '../../config/session-keys.ts';
import { findConfigFault } from '../../config/values.ts';
import {
  type Caller,
  type ChannelModule,
  type Plan,
  type Rejection,
  reject,
  rejectKey,
  rejectSize,
} from '../../handler-port/channel-module.ts';
import type { Channel } from '../../sync/channel.ts';
import type { Sync } from '../../sync/sync.ts';
import type { Tx } from '../../sync/tx.ts';
import type { TurnSupervisor } from '../../turns/supervisor.ts';
import { checkActiveClient } from './active-clients.ts';
import { type DirectoryParts, isDirectoryAction, planDirectories } from './directories.ts';
import { checkEnablement } from './enablement.ts';

/** Plans actions of clients on a session [SESS-8] [SESS-9] [SESS-10]. */
export function sessionModule(parts: DirectoryParts): ChannelModule<'session'> {
  const { sync, turns } = parts;
  return {
    plan: (session, action, caller) =>
      (isDirectoryAction(action) ? planDirectories(parts, session, action, caller) : undefined) ??
      check(session, action, caller) ??
      checkFallback(session, action, caller, defaultApprovals(sync.root.state.config)) ??
      planChatTitle(sync, session, action) ?? {
        action,
        after: (tx) => follow(tx, turns, session, action),
      },
  };
}

/** A title of a chat [VSC-11]. It counts as given by a client, so that none of the host replaces it. */
function planChatTitle(
  sync: Sync,
  session: Channel<'session'>,
  action: SessionAction,
): Plan<'session'> | Rejection | undefined {
  if (action.type !== 'session/titleChanged' || action['x-chat'] === undefined) return undefined;
  const { title, 'x-chat': chat } = action;
  if (findChat(session.state.chats, chat) === undefined)
    return reject('unknownChat', `There is no chat ${chat} in this session`);
  const own: SessionAction = { type: 'session/chatUpdated', chat, changes: { title } };
  const keep = (tx: Tx): void => {
    const channel = sync.registry.getOf('chat', chat);
    if (channel === undefined) return;
    const { titledBy: _, ...hostData } = channel.hostData;
    tx.setHostData(channel, hostData);
  };
  if (chat !== session.state.defaultChat) return { action: own, after: keep };
  return {
    action: { type: 'session/titleChanged', title },
    after: (tx) => {
      tx.setHostData(session, { ...session.hostData, titledBy: 'client' });
      tx.emit(session, own);
      keep(tx);
    },
  };
}

function follow(tx: Tx, turns: TurnSupervisor, session: Channel<'session'>, action: SessionAction): void {
  if (action.type === 'session/titleChanged')
    tx.setHostData(session, { ...session.hostData, titledBy: 'client' });
  if (action.type !== 'session/configChanged') return;
  const values = agentValues(action.config);
  if (Object.keys(values).length === 0) return;
  const chats = session.state.chats.map(({ resource }) => resource);
  tx.effect(() => turns.configure(chats, values));
}

function check(session: Channel<'session'>, action: SessionAction, caller: Caller): Rejection | undefined {
  switch (action.type) {
    case 'session/activeClientSet':
    case 'session/activeClientRemoved':
      return checkActiveClient(action, session.state.activeClients, caller);
    case 'session/configChanged':
      return session.state.config === undefined ? undefined : checkConfigChange(session.state.config, action);
    case 'session/customizationToggled':
      return checkEnablement(action, session.state);
    case 'session/mcpServerStartRequested':
    case 'session/mcpServerStopRequested':
    case 'session/mcpServerBackgroundRequested':
      return checkMcpServer(session, action.id);
    default:
      return undefined;
  }
}

/** Only servers that the session shows can be started and stopped [MCP-1]. */
function checkMcpServer(
  { state: { customizations = [] } }: Channel<'session'>,
  id: string,
): Rejection | undefined {
  const all = customizations.flatMap((each) =>
    'children' in each ? [each, ...(each.children ?? [])] : [each],
  );
  return all.some((each) => each.type === 'mcpServer' && each.id === id)
    ? undefined
    : reject('unknownServer', `This session has no MCP server ${id}`);
}

function checkConfigChange(
  { schema, values }: SessionConfigState,
  { config, replace = false }: { config: Record<string, unknown>; replace?: boolean },
): Rejection | undefined {
  const fault = findConfigFault(schema, config) ?? findHostKeyFault(config);
  if (fault !== undefined) return rejectKey('invalidConfig', fault.key, fault.problem);
  const { configLength } = CHANNEL_LIMITS;
  const length = weightOf(replace ? config : { ...values, ...config });
  if (length > configLength.max) return rejectSize('config', configLength, length);
  const isFixed = (key: string): boolean => schema.properties[key]?.sessionMutable !== true;
  const touched = Object.keys(config).find(
    (key) => isFixed(key) && !(replace && sameJson(config[key], values[key])),
  );
  if (touched !== undefined)
    return rejectKey('notMutable', touched, "cannot be changed after the session's creation");
  const dropped = replace
    ? Object.keys(values).find((key) => isFixed(key) && !Object.hasOwn(config, key))
    : undefined;
  return dropped === undefined
    ? undefined
    : rejectKey(
        'notMutable',
        dropped,
        "cannot be changed after the session's creation; a replacement must keep it",
      );
}

/**
 * A replacement without `approvals` restores the host's default. If that is `all`, it requires the same scope
 * as setting `all`.
 */
function checkFallback(
  session: Channel<'session'>,
  action: SessionAction,
  { isAdmin }: Caller,
  fallback: ApprovalPolicy,
): Rejection | undefined {
  if (action.type !== 'session/configChanged' || action.replace !== true) return undefined;
  if (isAdmin || fallback !== 'all' || Object.hasOwn(action.config, 'approvals')) return undefined;
  const present = session.state.config?.values['approvals'] ?? fallback;
  return present === 'all'
    ? undefined
    : reject(
        'permissionDenied',
        'a replacement without `approvals` sets the host’s default `all`, which requires a token of scope admin: include `approvals`',
        { kind: 'scope', needed: 'admin', held: 'interact', asked: action.type, setting: 'approvals' },
      );
}
