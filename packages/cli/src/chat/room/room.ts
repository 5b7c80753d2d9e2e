import { type ChatHandle, openMcpServers, type SessionHandle } from '@agenthost/client';
import { type SessionState, SessionStatus, type URI } from '@agenthost/protocol';
import { hasModel } from '../../input/session-options.ts';
import { type Environment, messageOf, tellFailure } from '../app/environment.ts';
import type { Frame, Size } from '../app/frame.ts';
import {
  ConfirmPanel,
  type OverlayPanel,
  type Screen,
  type ScreenActions,
  type Surroundings,
} from '../app/panel.ts';
import { ChangesPanel } from '../changes/changes-panel.ts';
import type { KeyContext } from '../keys/bindings.ts';
import type { KeyEvent } from '../keys/key-event.ts';
import { SettingsPanel } from '../settings/settings-panel.ts';
import { terminalsOf } from '../transcript/terminal-tails.ts';
import { CHAT_VIEW } from '../transcript/transcript.ts';
import { BackgroundPanel } from './background-panel.ts';
import { ChatsPanel } from './chats-panel.ts';
import { Conversation } from './conversation.ts';
import { CustomizationsPanel } from './customizations-panel.ts';
import { type RoomView, roomFrame } from './room-frame.ts';
import { answerOf, conditionsIn, copyAnswer, runInTurns } from './turn-commands.ts';

/** One open session: the chat that shows, and what is laid over it. */
export class Room implements Screen, RoomView {
  readonly session: SessionHandle;
  readonly #env: Environment;
  readonly #actions: ScreenActions;
  #conversation: Conversation;
  #overlay: OverlayPanel | undefined;
  #isOpening = false;
  #isDisposed = false;
  #mayMarkRead = true;

  constructor(env: Environment, session: SessionHandle, actions: ScreenActions) {
    this.#env = env;
    this.session = session;
    this.#actions = actions;
    this.#conversation = this.#converse(session.chat);
    session.mirror.onChange(() => this.#sessionChanged());
    this.#sessionChanged();
  }

  get conversation(): Conversation {
    return this.#conversation;
  }

  /** Questions that wait in other chats of this session. */
  get otherAsks(): number {
    const here = this.#conversation.chat.mirror.uri;
    return (this.session.mirror.state.inputNeeded ?? []).filter(
      ({ chat, kind }) => chat !== here && kind !== 'toolClientExecution',
    ).length;
  }

  get overlay(): OverlayPanel | undefined {
    return this.#overlay;
  }

  get context(): KeyContext {
    if (this.#overlay !== undefined) return this.#overlay.context;
    const { focus, askPanel, composer } = this.#conversation;
    if (focus === 'ask' && askPanel !== undefined) return askPanel.context;
    if (focus === 'queue' || focus === 'browse') return focus;
    return composer.proposals.popup === undefined ? 'composer' : 'popup';
  }

  conditions(): readonly string[] {
    return this.#overlay?.conditions() ?? conditionsIn(this.#conversation);
  }

  frame(size: Size, around: Surroundings): Frame {
    return roomFrame(this, size, around);
  }

  run(command: string): void {
    if (this.#overlay !== undefined) return this.#overlay.run(command);
    if (this.#runAnywhere(command)) return;
    const { focus, askPanel, queue } = this.#conversation;
    if (focus === 'ask') askPanel?.run(command);
    else if (focus === 'queue') queue.run(command);
    else if (focus === 'browse') this.#runInTurns(command);
    else this.#runInComposer(command);
  }

  type(event: KeyEvent): void {
    if (this.#overlay !== undefined) return this.#overlay.type?.(event);
    const { focus, askPanel, composer, isReadOnly } = this.#conversation;
    if (focus === 'ask') return askPanel?.type(event);
    if (focus !== 'composer' || isReadOnly) return;
    this.#conversation.typed();
    composer.type(event);
  }

  paste(text: string): void {
    if (this.#overlay !== undefined) return this.#overlay.paste?.(text);
    const { focus, askPanel, composer, isReadOnly } = this.#conversation;
    if (focus === 'ask') askPanel?.paste(text);
    else if (focus === 'composer' && !isReadOnly) {
      this.#conversation.typed();
      composer.paste(text);
    }
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#overlay?.dispose?.();
    this.#conversation.dispose();
    this.session.dispose();
  }

  /** Commands that work in every focus. */
  #runAnywhere(command: string): boolean {
    const conversation = this.#conversation;
    switch (command) {
      case 'pageUp':
        conversation.transcript.scroll(-1);
        return true;
      case 'pageDown':
        conversation.transcript.scroll(1);
        return true;
      case 'toEnd':
        conversation.transcript.toEnd();
        return true;
      case 'toComposer':
        conversation.focus = 'composer';
        return true;
      case 'stop':
        conversation.stop();
        return true;
      case 'next':
        conversation.nextAsk();
        return true;
      case 'terminal': {
        // The terminal of the turn that asks. While browsing, the selected turn's terminal is meant.
        const uri = terminalsOf(conversation.chat.mirror.state.activeTurn).at(-1);
        if (conversation.focus !== 'ask' || uri === undefined) return false;
        this.#env.showTerminal(uri);
        return true;
      }
      default:
        return false;
    }
  }

  #runInComposer(command: string): void {
    const conversation = this.#conversation;
    const { composer } = conversation;
    switch (command) {
      case 'send':
        if (this.#runTyped()) return;
        if (composer.takeCommand('/changes')) return this.#showChanges();
        if (composer.takeCommand('/background')) return this.#showBackground();
        if (composer.takeCommand('/customizations')) return this.#showCustomizations();
        return conversation.send();
      case 'steer':
        return conversation.steer();
      case 'newline':
        return composer.paste('\n');
      case 'up':
      case 'down':
        if (composer.proposals.popup === undefined) composer.step(command === 'up' ? -1 : 1);
        else composer.proposals.move(command === 'up' ? -1 : 1);
        return;
      case 'take':
        return composer.take();
      case 'close':
        return composer.proposals.close();
      case 'focusAsk':
        conversation.focus = 'ask';
        return;
      case 'focusQueue':
        conversation.focus = 'queue';
        return;
      case 'browse':
        if (conversation.transcript.turns.length > 0) conversation.focus = 'browse';
        return;
      case 'chats':
        return this.#showChats();
      case 'changes':
        return this.#showChanges();
      case 'background':
        return this.#showBackground();
      case 'customizations':
        return this.#showCustomizations();
      case 'settings':
        return this.#showSettings();
      case 'back':
        return this.#actions.back();
      case 'clearOrLeave':
        if (composer.isEmpty && composer.purpose.kind === 'new') this.#actions.leave();
        else composer.clear();
        return;
      case 'copyLast':
        return copyAnswer(
          this.#env,
          conversation.transcript.turns.findLast((turn) => answerOf(turn) !== ''),
        );
      default:
    }
  }

  /** Commands with words behind them. False: the message is none. */
  #runTyped(): boolean {
    const { composer } = this.#conversation;
    const model = composer.takeWords('/model');
    if (model !== undefined) this.#goToSetting('model', undefined, model);
    const mode = model === undefined ? composer.takeWords('/mode') : undefined;
    const properties = this.session.mirror.state.config?.schema.properties ?? {};
    if (mode !== undefined) this.#goToSetting('mode', 'mode' in properties ? 'mode' : 'approvals', mode);
    const words = (model ?? mode) === undefined ? composer.takeWords('/find') : undefined;
    if (words !== undefined) this.#find(words);
    return (model ?? mode ?? words) !== undefined;
  }

  #goToSetting(name: string, key: string | undefined, text: string): void {
    const holder = (): Conversation => this.#conversation;
    const panel = new SettingsPanel(this.#env, this.session, holder, () => this.#uncover());
    const outcome = panel.goTo(key, text);
    if (outcome === 'shown') this.#overlay = panel;
    else panel.dispose();
    if (outcome === 'none') this.#env.notice(`this session has no ${name} that can be changed`, 'problem');
  }

  #find(words: string): void {
    const conversation = this.#conversation;
    if (words === '') return this.#env.notice('/find requires words', 'problem');
    conversation.transcript.find(words).then(
      (isFound) => {
        if (isFound) conversation.focus = 'browse';
        else this.#env.notice(`no other turn has ${JSON.stringify(words)}`);
        this.#env.changed();
      },
      (error: unknown) => this.#env.notice(`not searched: ${messageOf(error)}`, 'problem'),
    );
  }

  #runInTurns(command: string): void {
    runInTurns(command, {
      env: this.#env,
      conversation: this.#conversation,
      confirm: (question, yes) => this.#confirm(question, yes),
      open: (chat) => this.#open(chat),
      fork: (turnId) => this.#fork(turnId),
    });
  }

  #confirm(question: string, yes: () => void): void {
    this.#overlay = new ConfirmPanel(question, yes, () => this.#uncover());
  }

  #converse(chat: ChatHandle): Conversation {
    const conversation = new Conversation(this.#env, chat);
    const { model } = this.#env;
    const agent = this.#env.agents().find(({ provider }) => provider === this.session.mirror.state.provider);
    if (model !== undefined && agent !== undefined && hasModel(agent, model)) conversation.chooseModel(model);
    return conversation;
  }

  #showSettings(): void {
    const holder = (): Conversation => this.#conversation;
    this.#overlay = new SettingsPanel(this.#env, this.session, holder, () => this.#uncover());
  }

  #uncover(): void {
    this.#overlay?.dispose?.();
    this.#overlay = undefined;
  }

  #showChats(): void {
    const state = (): SessionState => this.session.mirror.state;
    this.#overlay = new ChatsPanel(this.#env, state, this.#conversation.chat.mirror.uri, {
      close: () => this.#uncover(),
      open: (chat) => {
        this.#uncover();
        this.#open(chat);
      },
      create: () => {
        this.#uncover();
        this.#enter('no new chat', this.session.createChat({}, CHAT_VIEW));
      },
      remove: (chat) =>
        this.#confirm('Remove this chat for everyone?', () => {
          tellFailure(this.#env, 'not removed', this.#env.client.request('disposeChat', { channel: chat }));
        }),
    });
  }

  #showBackground(): void {
    this.#overlay = new BackgroundPanel(this.#env, this.#conversation.chat, {
      close: () => this.#uncover(),
      open: (chat) => {
        this.#uncover();
        this.#open(chat);
      },
    });
  }

  #showCustomizations(): void {
    this.#overlay = new CustomizationsPanel(this.#env, this.session, {
      openServers: () => openMcpServers(this.#env.client),
      close: () => this.#uncover(),
    });
  }

  #showChanges(): void {
    const chat = (): ChatHandle => this.#conversation.chat;
    this.#overlay = new ChangesPanel(this.#env, this.session, chat, () => this.#uncover());
  }

  #fork(turnId: string): void {
    const chat = this.#conversation.chat.mirror.uri;
    this.#enter('no fork', this.session.createChat({ source: { kind: 'fork', chat, turnId } }, CHAT_VIEW));
  }

  #open(chat: URI): void {
    if (chat === this.#conversation.chat.mirror.uri) return;
    this.#enter('cannot open the chat', this.session.openChat(chat, CHAT_VIEW));
  }

  /** Shows another chat once it is there. */
  #enter(what: string, opening: Promise<ChatHandle>): void {
    if (this.#isOpening) return;
    this.#isOpening = true;
    opening
      .then(
        (chat) => {
          if (this.#isDisposed) return chat.dispose();
          this.#conversation.dispose();
          this.#conversation = this.#converse(chat);
        },
        (error: unknown) => this.#env.notice(`${what}: ${messageOf(error)}`, 'problem'),
      )
      .finally(() => {
        this.#isOpening = false;
        this.#env.changed();
      });
  }

  #markRead(): void {
    void this.session.setRead(true).then(({ outcome }) => {
      // Every change asks again: after a refusal, stop asking.
      if (outcome === 'rejected') this.#mayMarkRead = false;
    });
  }

  #sessionChanged(): void {
    const { mirror } = this.session;
    const { status, chats, defaultChat, lifecycle } = mirror.state;
    if (mirror.isLost) return this.#actions.gone(mirror.uri);
    // The session is visible, so it counts as read.
    const isWorking = (status & SessionStatus.InProgress) !== 0;
    if (
      (status & SessionStatus.IsRead) === 0 &&
      !isWorking &&
      lifecycle !== 'creating' &&
      this.#mayMarkRead
    ) {
      this.#markRead();
    }
    const isHere = chats.some(({ resource }) => resource === this.#conversation.chat.mirror.uri);
    const other = defaultChat ?? chats[0]?.resource;
    if (!isHere && other !== undefined) this.#open(other);
    this.#env.changed();
  }
}
