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
import { type ConfigChanges, decide, holdsIn, type StoredApproval, type Verdict } from './policy.ts';
import type { ApprovalStore, Keeper } from './store.ts';

/** The call that a question is about. */
export interface AskingCall {
  readonly session: string;
  readonly chat: string;
  readonly toolCallId: string;
  readonly start: Pick<ToolCallStart, 'toolName' | 'kind' | 'contributor'>;
}

/** A question on its way to an answer. */
export interface OpenQuestion {
  /** What it is now: asked, or decided by a policy or an approval. */
  readonly verdict: Verdict;
  /** The answers that people have. */
  readonly options: readonly ConfirmationOption[];
  /** They are the host's: the agent knows nothing of them. */
  readonly hasHostsOptions: boolean;
  /** Why a policy denies, in the language of whoever started the turn. */
  readonly deniedMessage: StringOrMarkdown;
  /** Hears of a decision that comes while people are asked. */
  onDecided(listener: (verdict: Verdict) => void): void;
  /** It has its answer, or needs none any more. Idempotent. */
  close(): void;
}

/** The agent that keeps an approval. */
interface AgentKeeper {
  readonly chat: string;
  readonly provider: string;
  /** Config values that it has changed because of it. */
  readonly changedConfig: ConfigChanges;
}

interface Entry {
  readonly ask: Ask;
  readonly offers: Offers;
  listener: ((verdict: Verdict) => void) | undefined;
}

/** What answers for people: each session's policy, and what somebody has allowed for good. */
export class Approvals {
  readonly #sync: Sync;
  readonly #store: ApprovalStore;
  readonly #localeOf: (chat: string) => string;
  readonly #defaultFolder: string;
  /** Questions that people see now, by chat and tool call. */
  readonly #open = new Map<string, Entry>();

  /** `defaultFolder`: URI of the folder that sessions without one work in. */
  constructor(parts: {
    sync: Sync;
    store: ApprovalStore;
    localeOf(chat: string): string;
    defaultFolder: string;
  }) {
    this.#sync = parts.sync;
    this.#store = parts.store;
    this.#localeOf = (chat) => parts.localeOf(chat);
    this.#defaultFolder = parts.defaultFolder;
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

  /** What a session's `approvals` is now: the host's default where a replacement has dropped it. */
  policyOf(session: string): ApprovalPolicy {
    const value = this.#sync.registry.getOf('session', session)?.state.config?.values['approvals'];
    return isApprovalPolicy(value) ? value : defaultApprovals(this.#sync.root.state.config);
  }

  /** Decides a question, now and whenever something that it depends on changes, until it is closed. */
  open(call: AskingCall, question: ToolCallQuestion): OpenQuestion {
    const { session, chat, toolCallId, start } = call;
    const edits = question.edits ?? [];
    const ask: Ask = {
      session,
      chat,
      toolCallId,
      provider: this.#sync.registry.getOf('session', session)?.state.provider ?? '',
      toolName: start.toolName,
      kind: question.kind ?? start.kind ?? 'other',
      contributor: start.contributor,
      invocationMessage: question.invocationMessage,
      toolInput: question.toolInput,
      edits,
      folder: this.#folderOf(session, chat),
      files: filesOf(edits),
    };
    const locale = this.#localeOf(chat);
    const entry: Entry = { ask, offers: offersFor(ask, question, locale), listener: undefined };
    const key = keyOf(chat, toolCallId);
    return {
      verdict: this.#decide(ask),
      options: entry.offers.options,
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

  /** What is remembered, or what of it holds in a session, the oldest first. */
  list(session?: Channel<'session'>): RememberedApproval[] {
    const folders = session === undefined ? [] : this.#foldersOf(session);
    return this.#store.all
      .filter((each) => session === undefined || folders.some((folder) => holdsIn(each, session.uri, folder)))
      .map(publicPart);
  }

  /** The agent that remembers this approval by itself, and in which chat; `undefined`: none does. */
  keeperOf(id: string): AgentKeeper | undefined {
    const {
      agentChat: chat,
      provider = '',
      agentConfig = {},
    } = this.#store.all.find((each) => each.id === id) ?? {};
    return chat === undefined ? undefined : { chat, provider, changedConfig: agentConfig };
  }

  /** A chat's agent has changed config values by itself. */
  agentConfigured(tx: Tx, chat: Channel<'chat'>, changes: ConfigChanges): void {
    this.#store.noteConfig(tx, keeperIn(chat), changes);
  }

  /** Forgets one; false when there is none of that id. */
  revoke(tx: Tx, id: string): boolean {
    const isThere = this.#store.all.some((each) => each.id === id);
    this.#store.drop(tx, (each) => each.id === id);
    return isThere;
  }

  /** A session has been disposed of: what held in it alone goes. */
  forget(tx: Tx, session: string): void {
    this.#store.drop(tx, ({ scope }) => scope.kind === 'session' && scope.session === session);
  }

  /** A person has chosen an option that is to be remembered: in the same tick, so that no kill parts the two. */
  #remember(tx: Tx, { channel, action, before, after }: Change<'chat'>): void {
    if (action.type !== 'chat/toolCallConfirmed' || !action.approved || before === after) return;
    const entry = this.#open.get(keyOf(channel.uri, action.toolCallId));
    const { selectedOptionId } = action;
    const offer =
      selectedOptionId === undefined ? entry?.offers.plainYes : entry?.offers.remembers.get(selectedOptionId);
    if (entry === undefined || offer === undefined || !isRunning(after, action.toolCallId)) return;
    // What runs now is not what the option was about; whoever corrected the call has not allowed it as it was. The agent remembers it still.
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

  /** Workers are the agent of the chat that they were spawned from. */
  #agentChatOf(chat: Channel<'chat'>): Channel<'chat'> {
    const { origin } = chat.state;
    const parent = origin?.kind === 'tool' ? this.#sync.registry.getOf('chat', origin.chat) : undefined;
    return parent === undefined ? chat : this.#agentChatOf(parent);
  }

  /** A setting has changed: it holds for what people are asked already. */
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
    const own = session && findChat(session.chats, chat)?.workingDirectory;
    return realPathOf(own ?? session?.workingDirectory ?? this.#defaultFolder);
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
