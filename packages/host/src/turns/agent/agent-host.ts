import { findChat } from '@agenthost/protocol';
import { defined, sameJson } from '@agenthost/protocol/values';
import { AgentError } from '../../agents/errors.ts';
import type { AgentCommand, AgentSessionHost, ResolvedConfig } from '../../agents/provider.ts';
import type { ConfigChanges } from '../../approvals/policy.ts';
import { offeredTools } from '../../client-tools/offers.ts';
import { agentValues } from '../../config/session-keys.ts';
import type { Channel } from '../../sync/channel.ts';
import type { Tx } from '../../sync/tx.ts';
import type { TurnParts } from '../parts.ts';
import { withCommands } from './agent-commands.ts';

/**
 * Maximum characters of a title and of a command's description. Each list of sessions contains the titles,
 * each session its commands.
 */
const LONGEST_TITLE = 500;
const LONGEST_DESCRIPTION = 2_000;
const MOST_COMMANDS = 1_000;

/** Receives what an agent session reports outside of turns. Calls of a replaced agent session are ignored. */
export function agentSessionHost(
  parts: TurnParts,
  owner: { chat: string; session: string; isCurrent(): boolean; exited(reason: string): void },
): AgentSessionHost {
  const { sync, approvals, terminals, hostTools, remembered, log, workingDirectoryOf } = parts;
  const change = (work: (tx: Tx, session: Channel<'session'>, chat: Channel<'chat'>) => void): void => {
    sync.transact('host', (tx) => {
      const chat = sync.registry.getOf('chat', owner.chat);
      const session = sync.registry.getOf('session', owner.session);
      if (chat !== undefined && session !== undefined && owner.isCurrent()) work(tx, session, chat);
    });
  };
  return {
    saveMemory: (memory) => change((tx, _, chat) => tx.setHostData(chat, { ...chat.hostData, memory })),
    title: (title) =>
      change((tx, session, chat) => {
        if (title.trim() !== '') adoptTitle(tx, session, chat, cut(title, LONGEST_TITLE));
      }),
    config: (config) =>
      change((tx, session, chat) => {
        const changes = configChanges(session, config);
        const changed = Object.entries(changes);
        if (changed.length === 0) return;
        approvals.agentConfigured(tx, chat, changes);
        const values = Object.fromEntries(changed.map(([key, { to }]) => [key, to]));
        tx.emit(session, { type: 'session/configChanged', config: values });
      }),
    commands: (all) =>
      change((tx, session) => {
        const commands = bounded(all);
        const { provider } = session.state;
        tx.effect(() => {
          remembered.learnCommands(provider, commands).catch((error: unknown) => {
            log.warn({ error, provider }, 'could not store the commands of an agent');
          });
        });
        const _meta = withCommands(session.state, commands);
        if (_meta !== undefined) tx.emit(session, { type: 'session/metaChanged', _meta });
      }),
    terminal: async (start) => {
      const chat = sync.registry.getOf('chat', owner.chat);
      const session = sync.registry.getOf('session', owner.session);
      if (chat === undefined || session === undefined || !owner.isCurrent())
        throw new AgentError('hostError', 'The chat is gone');
      const workingDirectory = await workingDirectoryOf(session, chat);
      return terminals.startForAgent({ session: owner.session, chat: owner.chat, workingDirectory }, start);
    },
    clientTools: () => {
      const session = sync.registry.getOf('session', owner.session);
      return session === undefined || !owner.isCurrent()
        ? []
        : offeredTools(session.state.activeClients, hostTools.names(owner.session));
    },
    hostTools: () => (owner.isCurrent() ? hostTools.list(owner.session) : []),
    isPrivate: (realPath) => parts.isPrivate(realPath),
    privatePaths: () => parts.listPrivate(),
    ready: () => sync.path.whenReady(),
    exited: (reason) => {
      if (owner.isCurrent()) owner.exited(reason);
    },
  };
}

/** Cuts a text without splitting a surrogate pair. */
const cut = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '')}…`;

const bounded = (all: readonly AgentCommand[]): AgentCommand[] =>
  all
    .slice(0, MOST_COMMANDS)
    .filter(({ name }) => name.length <= LONGEST_TITLE)
    .map(({ name, description, hint }) => ({
      name,
      description: cut(description, LONGEST_DESCRIPTION),
      ...defined({ hint: hint && cut(hint, LONGEST_DESCRIPTION) }),
    }));

/**
 * Sets the title of a chat. Also sets the title of its session if the chat is the default or only one and no
 * client has named the session [SESS-11].
 */
function adoptTitle(tx: Tx, session: Channel<'session'>, chat: Channel<'chat'>, title: string): void {
  const { chats, defaultChat } = session.state;
  const entry = findChat(chats, chat.uri);
  const isOwn = entry?.title === '' || chat.hostData.titledBy !== undefined;
  if (entry !== undefined && isOwn && entry.title !== title) {
    tx.setHostData(chat, { ...chat.hostData, titledBy: 'agent' });
    tx.emit(session, { type: 'session/chatUpdated', chat: chat.uri, changes: { title } });
  }
  const isWhole = chats.length === 1 || chat.uri === defaultChat;
  if (!isWhole || session.hostData.titledBy === 'client' || session.state.title === title) return;
  tx.setHostData(session, { ...session.hostData, titledBy: 'agent' });
  tx.emit(session, { type: 'session/titleChanged', title });
}

/**
 * Changed values for keys in the session's schema. A schema does not change after the session was created.
 */
function configChanges(session: Channel<'session'>, config: ResolvedConfig): ConfigChanges {
  const { config: present } = session.state;
  if (present === undefined) return {};
  return Object.fromEntries(
    Object.entries(agentValues(config.values))
      .filter(
        ([key, value]) =>
          Object.hasOwn(present.schema.properties, key) && !sameJson(present.values[key], value),
      )
      .map(([key, to]) => [key, { from: present.values[key], to }]),
  );
}
