import type { ChatHandle, DispatchOutcome, SessionHandle, TurnEvent } from '@agenthost/client';
import {
  type ChatInputRequest,
  type ChatSummary,
  SessionStatus,
  type TokenScope,
  type Turn,
  type TurnBase,
  type URI,
} from '@agenthost/protocol';
import { errorSentence, rejectionSentence } from '../host-link/host-errors.ts';
import type { LineReader } from '../process/line-reader.ts';
import {
  type AskedToolCall,
  keysText,
  numbersText,
  showChoices,
  showQuestion,
  showToolCallChoices,
  withinScope,
} from '../question/confirmation.ts';
import { FormFilling, showQuestions } from '../question/input-request.ts';
import { oneLine } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';
import { endLine, TurnPrinter } from '../render/turn-printer.ts';
import { ChatFollower, isWorker } from './chat-follower.ts';
import { ChatHeadings, showMessage } from './chat-headings.ts';
import { INPUT_ENDED, readCommand, WATCH_HELP } from './command.ts';
import { hasQueue, openBlocks, queueReminder, requestChoices, standing } from './open-blocks.ts';

/** Options of a session view. */
export interface SessionViewOptions {
  readonly screen: Screen;
  readonly session: SessionHandle;
  /** Turns of the past to show of each chat. */
  readonly turns: number;
  readonly isJson: boolean;
  /** The scope of the token. Absent: unknown, and taken for `admin`. */
  readonly scope?: TokenScope | undefined;
  /** Where the answers to questions are typed. */
  readonly reader: Pick<LineReader, 'hold'>;
}

/** How long leaving waits for the host to answer what was typed before. */
const ANSWER_TIMEOUT_MS = 3_000;

const isAtRest = ({ status }: ChatSummary): boolean => (status & SessionStatus.InProgress) === 0;

interface OpenChat {
  readonly handle: ChatHandle;
  readonly stop: () => void;
}

/** A session on the screen: all its chats, live, and the commands that are typed meanwhile. */
export class SessionView {
  readonly #options: SessionViewOptions;
  readonly #chats = new Map<URI, OpenChat>();
  readonly #answers = new Set<Promise<void>>();
  readonly #forms: FormFilling;
  readonly #headings: ChatHeadings;
  #opening: Promise<void> = Promise.resolve();
  /** Worker chats that had ended before the view opened. */
  readonly #past = new Set<URI>();
  #stop: () => void = () => undefined;
  #isDisposed = false;
  /** The earlier turns have been shown. */
  #saysStanding = false;

  constructor(options: SessionViewOptions) {
    this.#options = options;
    this.#forms = new FormFilling(options.screen, options.reader);
    this.#headings = new ChatHeadings(options.screen, options.session);
  }

  /** Shows what there is, and from then on what comes. */
  async open(): Promise<void> {
    const { screen, session, isJson } = this.#options;
    const { mirror, chat } = session;
    if (isJson) screen.json({ type: 'session', session: session.uri, ...mirror.state });
    else {
      screen.keepApart();
      const title = oneLine(mirror.state.title) || '(no title)';
      screen.line(screen.outColors.bold(`${title}  ${screen.outColors.dim(oneLine(mirror.state.provider))}`));
      screen.note(screen.colors.dim(WATCH_HELP));
    }
    for (const entry of mirror.confirmed.chats) {
      if (isWorker(entry) && isAtRest(entry)) this.#past.add(entry.resource);
    }
    this.#follow(chat);
    this.#stop = mirror.onChange(() => this.#openOthers());
    this.#openOthers();
    await this.#opening;
    if (isJson) return;
    // The status after the last earlier turn is not repeated.
    this.#saysStanding = true;
    this.#tellStanding();
  }

  #tellEnd(chat: ChatHandle, turn: Turn): void {
    const { screen } = this.#options;
    const reminder = queueReminder(chat, turn);
    if (reminder !== undefined) screen.note(reminder);
    // Where messages wait another turn follows, or has been reminded of.
    else if (this.#saysStanding && !hasQueue(chat)) this.#tellStanding();
  }

  #tellStanding(): void {
    const { screen, session } = this.#options;
    const handles = [...this.#chats.values()].map(({ handle }) => handle);
    const standsAs = standing(session, handles, (each) => this.#headings.nameOf(each));
    if (standsAs !== undefined) screen.note(screen.colors.dim(standsAs));
  }

  /** Takes a typed line; `leave` is called when it says so. */
  type(line: string, leave: () => void): void {
    const { screen, isJson } = this.#options;
    const command = readCommand(line);
    switch (command.name) {
      case 'nothing':
        return;
      case 'leave':
        leave();
        return;
      case 'cancel':
        this.#cancel();
        return;
      case 'approve':
      case 'deny':
      case 'choose':
        this.#answer(command);
        return;
      case 'say':
        this.#say(command.text);
        return;
      case 'help':
        if (!isJson) screen.note(WATCH_HELP);
        return;
    }
  }

  /** The input is at its end, and nobody sits before it. */
  inputEnded(): void {
    const { screen, isJson } = this.#options;
    if (!isJson) screen.note(screen.colors.dim(INPUT_ENDED));
  }

  /** Resolves when the host has answered all typed commands, or after a time limit. */
  async settled(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, ANSWER_TIMEOUT_MS);
    });
    await Promise.race([Promise.all(this.#answers), late]);
    clearTimeout(timer);
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#forms.closed();
    this.#stop();
    for (const { handle, stop } of this.#chats.values()) {
      stop();
      handle.dispose();
    }
    this.#options.session.dispose();
  }

  #openOthers(): void {
    const { session, turns, screen } = this.#options;
    for (const entry of session.mirror.confirmed.chats) {
      const { resource } = entry;
      if (this.#chats.has(resource) || (this.#past.has(resource) && isAtRest(entry))) continue;
      this.#opening = this.#opening.then(async () => {
        if (this.#chats.has(resource) || this.#isDisposed) return;
        try {
          this.#follow(await session.openChat(resource, { turns }));
        } catch (error) {
          // It may be gone again already, or the connection is; the next change of the session tries again.
          if (!this.#isDisposed) screen.note(`cannot show a chat: ${oneLine(errorSentence(error))}`);
        }
      });
    }
  }

  #follow(handle: ChatHandle): void {
    const { screen, session, isJson } = this.#options;
    const { uri } = handle.mirror;
    const agent = session.mirror.state.provider;
    let printer = new TurnPrinter(screen, agent, false);
    const follower = new ChatFollower(handle, {
      began: (turn) => {
        if (isJson) screen.json({ type: 'turn', chat: uri, turnId: turn.id, message: turn.message });
        else {
          printer = new TurnPrinter(screen, agent, true);
          this.#head(handle, turn);
        }
      },
      happened: (event, turn) => {
        if (event.type === 'part' && event.part.kind === 'inputRequest')
          this.#forms.closed(event.part.request.id);
        else if (event.type === 'ended') this.#forms.closed();
        if (isJson) screen.json({ ...event, chat: uri, turnId: turn.id });
        else {
          this.#headings.show(handle);
          printer.show(event);
          this.#show(event, handle);
        }
      },
    });
    this.#chats.set(uri, { handle, stop: follower.follow() });
  }

  #head(handle: ChatHandle, { message }: TurnBase): void {
    this.#headings.show(handle);
    showMessage(this.#options.screen, message);
  }

  #show(event: TurnEvent, chat: ChatHandle): void {
    const { screen } = this.#options;
    switch (event.type) {
      case 'confirmation':
      case 'resultConfirmation':
        this.#ask(withinScope(event.toolCall, this.#options.scope));
        return;
      case 'inputRequest':
        showQuestions(screen, event.request);
        this.#offer(event.request);
        return;
      case 'ended':
        screen.note(endLine(event.turn, screen));
        this.#tellEnd(chat, event.turn);
        return;
      default:
    }
  }

  #ask(toolCall: AskedToolCall): void {
    const { screen } = this.#options;
    showQuestion(screen, toolCall);
    showToolCallChoices(screen, toolCall);
    screen.note(`    ${keysText(toolCall)}`);
  }

  #say(text: string): void {
    const { screen, session, isJson } = this.#options;
    const { chat } = session;
    const { activeTurn, queuedMessages = [] } = chat.mirror.state;
    const hasToWait = activeTurn !== undefined || queuedMessages.length > 0;
    const asked = chat.enqueue(text);
    this.#tell(asked, 'sent');
    if (!hasToWait || isJson) return;
    void asked.then(({ outcome }) => {
      if (outcome === 'accepted') screen.note(screen.colors.dim(`queued: ${oneLine(text)}`));
    });
  }

  #cancel(): void {
    const { screen } = this.#options;
    const active = [...this.#chats.values()].filter(
      ({ handle }) => handle.mirror.state.activeTurn !== undefined,
    );
    if (active.length === 0) screen.note('nothing to cancel');
    for (const { handle } of active) this.#tell(handle.cancel(), 'cancelled');
  }

  #answer(command: { name: 'approve' | 'deny' } | { name: 'choose'; number: number }): void {
    const { screen, scope } = this.#options;
    const [block] = [...this.#chats.values()].flatMap(({ handle }) => openBlocks(handle, scope));
    if (block === undefined) return screen.note('nothing waits for an answer');
    const choice =
      command.name === 'choose'
        ? block.choices[command.number - 1]
        : block.choices.find(({ isApproval }) => isApproval === (command.name === 'approve'));
    if (choice === undefined) {
      const isRefused = command.name === 'approve' && block.noApproval !== undefined;
      return screen.note(isRefused ? block.noApproval : `type ${numbersText(block.choices)}`);
    }
    if (choice.isApproval && block.form !== undefined) return this.#fill(block.form);
    this.#tell(block.answer(choice, command.name === 'choose'), choice.isApproval ? 'approved' : 'denied');
  }

  #offer({ questions = [] }: ChatInputRequest): void {
    const { screen } = this.#options;
    const choices = requestChoices(questions.length > 0);
    showChoices(screen, choices);
    screen.note(`    a or y: ${choices[0]?.label}; d or n: ${choices[1]?.label}`);
  }

  #fill({ chat, requestId }: { chat: ChatHandle; requestId: string }): void {
    const filling = this.#forms.fill(chat, requestId).then(
      (given) => {
        if (given !== undefined)
          this.#tell(chat.respond(requestId, given.response, given.answers), 'answered');
      },
      (error: unknown) => this.#options.screen.note(`not answered: ${oneLine(errorSentence(error))}`),
    );
    this.#answers.add(filling);
    void filling.finally(() => this.#answers.delete(filling));
  }

  /** Reports the outcome of an answer, unless the turn's events show it. */
  #tell(answered: Promise<DispatchOutcome>, done: string): void {
    const { screen, isJson } = this.#options;
    const told = answered.then(
      (outcome) => {
        if (isJson) screen.json({ type: 'answered', what: done, outcome: outcome.outcome });
        else if (outcome.outcome === 'rejected')
          screen.note(`not ${done}: ${oneLine(rejectionSentence(outcome))}`);
        else if (outcome.outcome !== 'accepted') screen.note(`not ${done}: the host did not accept it`);
      },
      (error: unknown) => screen.note(`not ${done}: ${oneLine(errorSentence(error))}`),
    );
    this.#answers.add(told);
    void told.finally(() => this.#answers.delete(told));
  }
}
