import type { ChatHandle, Prompt } from '@agenthost/client';
import {
  type ActiveTurn,
  type ChatInputRequest,
  type ChatState,
  type Message,
  openRequests,
  type TokenScope,
  type Turn,
} from '@agenthost/protocol';
import { type AskedToolCall, withinScope } from '../../question/confirmation.ts';
import { type Environment, messageOf, tellFailure } from '../app/environment.ts';
import { ApprovalPanel } from '../ask/approval-panel.ts';
import { FormPanel } from '../ask/form-panel.ts';
import { Composer } from '../composer/composer.ts';
import { Transcript } from '../transcript/transcript.ts';
import { QueuePanel, waitingIn } from './queue-panel.ts';

/** Where keys go in a chat. */
export type Focus = 'composer' | 'ask' | 'queue' | 'browse';

/** While the user types within this time, a new question does not take the focus. */
const TYPING_PAUSE_MS = 1_000;

/** One open chat: its transcript, what waits in it, and what is being written. */
export class Conversation {
  readonly chat: ChatHandle;
  readonly transcript: Transcript;
  readonly composer: Composer;
  readonly queue: QueuePanel;
  readonly #env: Environment;
  readonly #panels = new Map<string, ApprovalPanel | FormPanel>();
  #focus: Focus = 'composer';
  #asks: readonly Ask[] = [];
  /** Id of the question that shows. */
  #askId: string | undefined;
  #typedAt = Number.NEGATIVE_INFINITY;
  #model: string | undefined;

  constructor(env: Environment, chat: ChatHandle) {
    this.#env = env;
    this.chat = chat;
    this.transcript = new Transcript(env, chat);
    this.composer = new Composer(env, chat);
    this.queue = new QueuePanel(env, chat, ({ pending }) => {
      this.composer.takeUp({ kind: 'pending', ...pending });
      this.focus = 'composer';
    });
    chat.mirror.onChange(() => this.update());
    this.update();
  }

  get focus(): Focus {
    return this.#focus;
  }

  set focus(focus: Focus) {
    if (this.#focus === 'browse' && focus !== 'browse') this.transcript.browse(false);
    this.#focus = focus;
    if (focus === 'browse') this.transcript.browse(true);
  }

  get asks(): readonly Ask[] {
    return this.#asks;
  }

  /** The question that shows. */
  get ask(): Ask | undefined {
    return this.#asks.find(({ id }) => id === this.#askId);
  }

  get askPanel(): ApprovalPanel | FormPanel | undefined {
    return this.#askId === undefined ? undefined : this.#panels.get(this.#askId);
  }

  /** The model that the next message asks for: the one chosen here, else the one that goes along, else that of the last message. */
  get model(): string | undefined {
    const { activeTurn, turns } = this.chat.mirror.state;
    const last = activeTurn ?? turns.at(-1);
    return this.#model ?? this.composer.carried?.model?.id ?? last?.message.model?.id;
  }

  /** Sends messages to this model from now on. */
  chooseModel(id: string): void {
    this.#model = id;
  }

  get isRunning(): boolean {
    return this.chat.mirror.state.activeTurn !== undefined;
  }

  /** A worker's chat: read-only. */
  get isReadOnly(): boolean {
    const { interactivity } = this.chat.mirror.state;
    return interactivity === 'read-only' || interactivity === 'hidden';
  }

  /** The chat has changed. */
  update(): void {
    this.transcript.update();
    this.composer.update();
    this.#updateAsks();
    if (this.#focus === 'queue' && waitingIn(this.chat.mirror.state).length === 0) this.focus = 'composer';
    this.#env.changed();
  }

  /** Somebody types: a question that comes up now does not take the keys away. */
  typed(): void {
    this.#typedAt = performance.now();
  }

  /** The next question, or the message behind the last one. */
  nextAsk(): void {
    const at = this.#asks.findIndex(({ id }) => id === this.#askId);
    const next = this.#asks[at + 1] ?? this.#asks[0];
    this.#askId = next?.id;
    this.focus = next === undefined ? 'composer' : 'ask';
  }

  /** Sends what is written: at once, into the queue while a turn runs, or in place of what it was taken from. */
  send(): void {
    const { state } = this.chat.mirror;
    const { model } = this;
    const sent = this.composer.send();
    if (sent === undefined) return;
    const { purpose } = sent;
    const message = withModel(sent.message, model);
    this.#typedAt = Number.NEGATIVE_INFINITY;
    this.transcript.toEnd();
    if (purpose.kind === 'resend') {
      void this.#resend(purpose.turnId, message);
    } else if (purpose.kind === 'pending') {
      tellFailure(this.#env, 'not changed', this.chat.queue.edit(purpose.id, message));
    } else if (state.activeTurn !== undefined || (state.queuedMessages?.length ?? 0) > 0) {
      tellFailure(this.#env, 'not queued', this.chat.enqueue(message));
    } else {
      this.#tellRefusal(this.chat.prompt(message), message);
    }
  }

  /** Sends what is written into the turn that runs; where none runs it begins one. */
  steer(): void {
    if (this.chat.mirror.state.activeTurn === undefined) return this.send();
    const { model } = this;
    const sent = this.composer.send();
    if (sent === undefined) return;
    tellFailure(this.#env, 'not steered', this.chat.steer(withModel(sent.message, model)));
  }

  stop(): void {
    tellFailure(this.#env, 'not stopped', this.chat.cancel());
  }

  /** Takes an earlier message up to send it anew. */
  takeUpTurn(turn: Turn | ActiveTurn): void {
    this.composer.takeUp({ kind: 'resend', turnId: turn.id, message: turn.message });
    this.focus = 'composer';
  }

  /** Forgets all that came after a turn. */
  truncate(turnId: string): void {
    tellFailure(this.#env, 'not removed', this.chat.truncate(turnId));
  }

  dispose(): void {
    this.composer.dispose();
    this.transcript.dispose();
    for (const panel of this.#panels.values()) if (panel instanceof FormPanel) panel.dispose();
    this.chat.dispose();
  }

  async #resend(turnId: string, message: Message): Promise<void> {
    try {
      const prompt = await this.chat.resend(turnId, message);
      this.#tellRefusal(prompt, message);
    } catch (error) {
      this.#env.notice(`not sent again: ${messageOf(error)}`, 'problem');
    }
  }

  /** The end of a turn is visible in the chat. Only a turn that never began needs a notice. */
  #tellRefusal(prompt: Prompt, message: Message): void {
    prompt.result.catch((error: unknown) => {
      if (!(error instanceof Error) || error.name !== 'DispatchRejected') return;
      this.#env.notice(`not sent: ${messageOf(error)}`, 'problem');
      this.composer.takeBack(message);
      this.#env.changed();
    });
  }

  #updateAsks(): void {
    const hadAsk = this.#askId !== undefined;
    this.#asks = asksOf(this.chat.mirror.state, this.#env.client.scope);
    const ids = new Set(this.#asks.map(({ id }) => id));
    for (const [id, panel] of this.#panels) {
      if (ids.has(id)) continue;
      if (panel instanceof FormPanel) panel.dispose();
      this.#panels.delete(id);
    }
    for (const ask of this.#asks) this.#showAsk(ask);
    if (this.#askId === undefined || !ids.has(this.#askId)) this.#askId = this.#asks[0]?.id;
    if (this.#askId === undefined) {
      if (this.#focus === 'ask') this.focus = 'composer';
      return;
    }
    const isBusy = !this.composer.isEmpty || performance.now() - this.#typedAt < TYPING_PAUSE_MS;
    if (!hadAsk && this.#focus === 'composer' && !isBusy) this.focus = 'ask';
  }

  #showAsk(ask: Ask): void {
    const panel = this.#panels.get(ask.id);
    if (ask.kind === 'call') {
      if (panel instanceof ApprovalPanel) panel.update(ask.toolCall);
      else this.#panels.set(ask.id, new ApprovalPanel(this.#env, this.chat, ask.toolCall));
    } else if (panel instanceof FormPanel) panel.update(ask.request);
    else this.#panels.set(ask.id, new FormPanel(this.#env, this.chat, ask.request));
  }
}

/** Settings of a model go with the model. */
const withModel = (message: Message, id: string | undefined): Message =>
  id === undefined || id === message.model?.id ? message : { ...message, model: { id } };

/** Something in a chat that waits for a person. */
export type Ask =
  | { readonly kind: 'call'; readonly id: string; readonly toolCall: AskedToolCall }
  | { readonly kind: 'request'; readonly id: string; readonly request: ChatInputRequest };

/** All that waits in a chat, in the order in which it came up, with the answers that a token with this scope may give. */
export function asksOf(chat: ChatState, scope: TokenScope | undefined): Ask[] {
  const asks: Ask[] = [];
  for (const part of chat.activeTurn?.responseParts ?? []) {
    if (part.kind !== 'toolCall') continue;
    const { toolCall } = part;
    if (toolCall.status === 'pending-confirmation' || toolCall.status === 'pending-result-confirmation') {
      asks.push({
        kind: 'call',
        id: `call ${toolCall.toolCallId}`,
        toolCall: withinScope(toolCall, scope),
      });
    }
  }
  for (const request of openRequests(chat))
    asks.push({ kind: 'request', id: `request ${request.id}`, request });
  return asks;
}
