import { type SessionAction, type URI, WireError } from '@agenthost/protocol';
import { errorText } from '@agenthost/protocol/values';
import type { AgentRegistry } from '../../agents/registry.ts';
import type { Caller, Planned, Rejection } from '../../handler-port/channel-module.ts';
import { reject } from '../../handler-port/channel-module.ts';
import type { Channel } from '../../sync/channel.ts';
import type { Sync } from '../../sync/sync.ts';
import type { Tx } from '../../sync/tx.ts';
import type { TurnSupervisor } from '../../turns/supervisor.ts';

/** An action on the working directories of a session. */
export type SessionDirectoryAction = Extract<
  SessionAction,
  {
    type:
      | 'session/workingDirectorySet'
      | 'session/workingDirectoryRemoved'
      | 'session/workingDirectoryReplaced';
  }
>;

export interface DirectoryParts {
  readonly sync: Sync;
  readonly agents: AgentRegistry;
  readonly turns: TurnSupervisor;
  /** Validates a working directory, in the order of [SESS-1]. */
  resolveDirectory(uri: URI, caller: Caller): Promise<unknown>;
}

/** Whether an action changes the working directories of a session. */
export const isDirectoryAction = (action: SessionAction): action is SessionDirectoryAction =>
  action.type.startsWith('session/workingDirectory');

/**
 * Plans a change of a session's working directories [SESS-21] [SESS-22]. A new directory is checked like that of a new session, and the chats
 * that name a removed one lose it [SESS-23].
 */
export function planDirectories(
  parts: DirectoryParts,
  session: Channel<'session'>,
  action: SessionDirectoryAction,
  caller: Caller,
): Planned<'session'> {
  const { sync, turns } = parts;
  const rejection = refusal(parts, session, action);
  if (rejection !== undefined) return rejection;
  const added = addedBy(action);
  const plan = (): Planned<'session'> => {
    const late = refusal(parts, session, action);
    if (late !== undefined) return late;
    // Another client may have given a chat this directory meanwhile.
    if (ownersOf(sync, session, action).some((chat) => chat === undefined)) return load().then(() => plan);
    return {
      action,
      after: (tx) => {
        dropFromChats(tx, sync, session, action);
        const chats = session.state.chats.map(({ resource }) => resource);
        tx.effect(() => turns.directoriesChanged(chats));
      },
    };
  };
  const load = async (): Promise<void> => {
    for (const { resource } of entriesWith(session, action)) await sync.registry.openOf('chat', resource);
  };
  if (added === undefined) return plan();
  return parts.resolveDirectory(added, caller).then(
    () => plan,
    (error: unknown) => {
      // Other errors are the host's own.
      if (!(error instanceof WireError)) throw error;
      return () => reject('invalidDirectory', errorText(error));
    },
  );
}

const addedBy = (action: SessionDirectoryAction): URI | undefined => {
  if (action.type === 'session/workingDirectorySet') return action.directory;
  return action.type === 'session/workingDirectoryReplaced' ? action.replacement : undefined;
};

function refusal(
  { agents }: Pick<DirectoryParts, 'agents'>,
  { state }: Channel<'session'>,
  { type, directory }: SessionDirectoryAction,
): Rejection | undefined {
  // This host may no longer offer the agent of the session.
  const agent = agents.ids.includes(state.provider) ? agents.get(state.provider).describe() : undefined;
  const ability = agent?.capabilities?.multipleWorkingDirectories;
  if (ability === undefined)
    return reject('notSupported', `Agent ${state.provider} works in one directory per session`);
  const { immutablePrimary = false, primaryReplacement = false } = ability;
  if (type === 'session/workingDirectoryReplaced' && !primaryReplacement)
    return reject('notSupported', `Agent ${state.provider} cannot replace working directories`);
  const isPrimary = state.workingDirectories?.[0] === directory;
  return type === 'session/workingDirectoryRemoved' && isPrimary && (immutablePrimary || primaryReplacement)
    ? reject(
        'primaryDirectory',
        `The primary directory of a session with agent ${state.provider} cannot be removed`,
      )
    : undefined;
}

/** The chats that name the directory which an action removes. */
const entriesWith = ({ state }: Channel<'session'>, action: SessionDirectoryAction) =>
  action.type === 'session/workingDirectorySet'
    ? []
    : state.chats.filter(({ workingDirectories = [] }) => workingDirectories.includes(action.directory));

const ownersOf = (sync: Sync, session: Channel<'session'>, action: SessionDirectoryAction) =>
  entriesWith(session, action).map(({ resource }) => sync.registry.getOf('chat', resource));

function dropFromChats(
  tx: Tx,
  sync: Sync,
  session: Channel<'session'>,
  action: SessionDirectoryAction,
): void {
  for (const chat of ownersOf(sync, session, action)) {
    if (chat === undefined) continue;
    if (action.type === 'session/workingDirectoryReplaced')
      tx.emit(chat, { type: 'chat/workingDirectorySet', directory: action.replacement });
    tx.emit(chat, { type: 'chat/workingDirectoryRemoved', directory: action.directory });
  }
}
