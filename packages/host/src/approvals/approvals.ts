import {
  type ChatState,
  type ConfirmationOption,
  findChat,
  findToolCallPart,
  type RememberedApproval,
  type StringOrMarkdown,
} from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import type { ToolCallQuestion, ToolCallStart } from '../agents/tool-call.ts';
import { defaultApprovals } from '../config/host-config.ts';
import { type ApprovalPolicy, isApprovalPolicy } from '../config/session-keys.ts';
import type { Channel } from '../sync/channel.ts';
import type { Sync } from '../sync/sync.ts';
import type { Change, Tx } from '../sync/tx.ts';
import type { Ask } from './ask.ts';
import { filesOf, realPathOf } from './files.ts';
import { labelsFor } from './labels.ts';
import { type Offers, offersFor } from './offers.ts';
import { pathsOutside } from './outside.ts';
import { type ConfigChanges, decide, holdsIn, type StoredApproval, type Verdict } from './policy.ts';
import type { ApprovalStore, Keeper } from './store.ts';

/** The tool call that a question is about. */
export interface AskingCall {
  readonly session: string;
  readonly chat: string;
  readonly toolCallId: string;
  readonly start: Pick<ToolCallStart, 'toolName' | 'kind' | 'contributor'>;
}

/** A question that has no answer yet. */
export interface OpenQuestion {
  /** The current verdict: users are asked, or a policy or approval has decided. */
  readonly verdict: Verdict;
  /** The options that users can choose. */
  readonly options: readonly ConfirmationOption[];
  /** True if the host made the options; the agent does not know them. */
  readonly hasHostsOptions: boolean;
  /** Paths outside of the chat's worktree that the call names, as written. */
  readonly outside: readonly string[];
  /** Why a policy denies the call, in the language of the client that started the turn. */
  readonly deniedMessage: StringOrMarkdown;
  /** Registers a listener for a decision that is made while users are asked. */
  onDecided(listener: (verdict: Verdict) => void): void;
  /** Closes the question, which has its answer or needs none. Idempotent. */
  close(): void;
}

/** The agent that stores an approval itself. */
interface AgentKeeper {
  readonly chat: string;
  readonly provider: string;
  /** Config values that the agent has changed because of the approval. */
  readonly changedConfig: ConfigChanges;
}

interface Entry {
  readonly ask: Ask;
  readonly offers: Offers;
  listener: ((verdict: Verdict) => void) | undefined;
}

/** Answers questions in place of users: by the session's policy, and by remembered approvals. */
export class Approvals {
  readonly #sync: Sync;
  readonly #store: ApprovalStore;
  readonly #localeOf: (chat: string) => string;
  readonly #defaultFolder: string;
  readonly #isolatedFolders: (of: Pick<AskingCall, 'session' | 'chat'>) => readonly string[] | undefined;
  /** Questions that users see now, by chat and tool call. */
  readonly #open = new Map<string, Entry>();

  /** `defaultFolder`: URI of the working directory for sessions without one. */
  constructor(parts: {
    sync: Sync;
    store: ApprovalStore;
    localeOf(chat: string): string;
    defaultFolder: string;
    /** Real paths of the folders of an isolated chat; `undefined`: it is not isolated. Default: none is. */
    isolatedFolders?(of: Pick<AskingCall, 'session' | 'chat'>): readonly string[] | undefined;
  }) {
    this.#sync = parts.sync;
    this.#store = parts.store;
    this.#localeOf = (chat) => parts.localeOf(chat);
    this.#defaultFolder = parts.defaultFolder;
    this.#isolatedFolders = (of) => parts.isolatedFolders?.(of);
    parts.sync.observe('chat', (tx, change) => this.#remember(tx, change));
    parts.sync.observe('session', (tx, { channel, action }) => {
      if (action.type !== 'session/configChanged') return;
      tx.effect(() => this.#reconsider((ask) => ask.session === channel.uri));
    });
    parts.sync.observe('root', (tx, { action }) => {
      if (action.type !== 'root/configChanged') return;
      tx.effect(() => this.#reconsider(() => true));
    });
  }

  /** The current `approvals` value of a session; the host's default if the session has none. */
  policyOf(session: string): ApprovalPolicy {
    const value = this.#sync.registry.getOf('session', session)?.state.config?.values['approvals'];
    return isApprovalPolicy(value) ? value : defaultApprovals(this.#sync.root.state.config);
  }

  /**
   * Decides a question, and decides again whenever a setting that it depends on changes, until it is closed.
   */
  open(call: AskingCall, question: ToolCallQuestion): OpenQuestion {
    const { session, chat, toolCallId, start } = call;
    const edits = question.edits ?? [];
    const kind = question.kind ?? start.kind ?? 'other';
    const folder = this.#folderOf(session, chat);
    const isolated = this.#isolatedFolders(call);
    const ask: Ask = {
      session,
      chat,
      toolCallId,
      provider: this.#sync.registry.getOf('session', session)?.state.provider ?? '',
      toolName: start.toolName,
      kind,
      contributor: start.contributor,
      invocationMessage: question.invocationMessage,
      toolInput: question.toolInput,
      edits,
      isAlwaysAsked: question.isAlwaysAsked === true,
      outside: isolated === undefined ? [] : pathsOutside(question, { kind, folder, isolated }),
      folder,
      files: filesOf(edits),
    };
    const locale = this.#localeOf(chat);
    const entry: Entry = { ask, offers: offersFor(ask, question, locale), listener: undefined };
    const key = keyOf(chat, toolCallId);
    return {
      verdict: this.#decide(ask),
      options: entry.offers.options,
      outside: ask.outside,
      hasHostsOptions: entry.offers.areHosts,
      deniedMessage: labelsFor(locale).deniedByPolicy,
      onDecided: (listener) => {
        entry.listener = listener;
        this.#open.set(key, entry);
      },
      close: () => {
        if (this.#open.get(key) === entry) this.#open.delete(key);
      },
    };
  }

  /** The remembered approvals, or those that apply to a session, oldest first. */
  list(session?: Channel<'session'>): RememberedApproval[] {
    const folders = session === undefined ? [] : this.#foldersOf(session);
    return this.#store.all
      .filter((each) => session === undefined || folders.some((folder) => holdsIn(each, session.uri, folder)))
      .map(publicPart);
  }

  /** The agent that stores this approval itself, and its chat. `undefined` if no agent does. */
  keeperOf(id: string): AgentKeeper | undefined {
    const {
      agentChat: chat,
      provider = '',
      agentConfig = {},
    } = this.#store.all.find((each) => each.id === id) ?? {};
    return chat === undefined ? undefined : { chat, provider, changedConfig: agentConfig };
  }

  /** Records that a chat's agent has changed config values itself. */
  agentConfigured(tx: Tx, chat: Channel<'chat'>, changes: ConfigChanges): void {
    this.#store.noteConfig(tx, keeperIn(chat), changes);
  }

  /** Removes an approval. Returns false if there is none with this id. */
  revoke(tx: Tx, id: string): boolean {
    const isThere = this.#store.all.some((each) => each.id === id);
    this.#store.drop(tx, (each) => each.id === id);
    return isThere;
  }

  /** Removes the approvals of a session that was disposed of. */
  forget(tx: Tx, session: string): void {
    this.#store.drop(tx, ({ scope }) => scope.kind === 'session' && scope.session === session);
  }

  /** Remembers a chosen option, in the tick of the choice, so that both are stored or neither. */
  #remember(tx: Tx, { channel, action, before, after }: Change<'chat'>): void {
    if (action.type !== 'chat/toolCallConfirmed' || !action.approved || before === after) return;
    const entry = this.#open.get(keyOf(channel.uri, action.toolCallId));
    const { selectedOptionId } = action;
    const offer =
      selectedOptionId === undefined ? entry?.offers.plainYes : entry?.offers.remembers.get(selectedOptionId);
    if (entry === undefined || offer === undefined || !isRunning(after, action.toolCallId)) return;
    // The user has edited the call and has not approved it as it was. The agent remembers its option all the
    // same.
    const { editedToolInput = entry.ask.toolInput } = action;
    const isEdited = editedToolInput !== entry.ask.toolInput;
    if (isEdited && !offer.isAgents) return;
    this.#store.add(
      tx,
      entry.ask,
      isEdited ? { ...offer, coverage: undefined } : offer,
      keeperIn(this.#agentChatOf(channel)),
    );
    tx.effect(() => this.#reconsider(({ provider }) => provider === entry.ask.provider));
  }

  /** Worker chats share the agent of the chat that spawned them. */
  #agentChatOf(chat: Channel<'chat'>): Channel<'chat'> {
    const { origin } = chat.state;
    const parent = origin?.kind === 'tool' ? this.#sync.registry.getOf('chat', origin.chat) : undefined;
    return parent === undefined ? chat : this.#agentChatOf(parent);
  }

  /** Decides open questions again after a setting has changed. */
  #reconsider(concerns: (ask: Ask) => boolean): void {
    for (const entry of [...this.#open.values()]) {
      if (!concerns(entry.ask)) continue;
      const verdict = this.#decide(entry.ask);
      if (verdict.outcome !== 'ask') entry.listener?.(verdict);
    }
  }

  #decide(ask: Ask): Verdict {
    return decide(this.policyOf(ask.session), ask, this.#store.all);
  }

  #folderOf(sessionUri: string, chat: string): string | undefined {
    const session = this.#sync.registry.getOf('session', sessionUri)?.state;
    const own = session && findChat(session.chats, chat)?.workingDirectories;
    return realPathOf(own?.[0] ?? session?.workingDirectories?.[0] ?? this.#defaultFolder);
  }

  #foldersOf({ state, uri }: Channel<'session'>): readonly (string | undefined)[] {
    const folders = state.chats.map(({ resource }) => this.#folderOf(uri, resource));
    return [...new Set(folders.length === 0 ? [undefined] : folders)];
  }
}

const isRunning = ({ activeTurn }: ChatState, toolCallId: string): boolean =>
  activeTurn !== undefined &&
  findToolCallPart(activeTurn.responseParts, toolCallId)?.toolCall.status === 'running';

function publicPart(stored: StoredApproval): RememberedApproval {
  const { id, provider, toolName, kind, scope, covers, label, createdAt } = stored;
  return { id, provider, toolName, kind, scope, covers, label, createdAt };
}

const keeperIn = (chat: Channel<'chat'>): Keeper => {
  const { activeTurn } = chat.state;
  return { agentChat: chat.uri, ...defined({ agentTurn: activeTurn?.id }) };
};

const keyOf = (chat: string, toolCallId: string): string => `${chat} ${toolCallId}`;
