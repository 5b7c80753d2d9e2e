import type { ChatState, SessionInputRequest, SessionState } from '@agenthost/protocol';
import { errorOf, findById } from '@agenthost/protocol';
import type { Cancel, Timers } from '../../lib/clock.ts';
import type { Sync } from '../../sync/sync.ts';
import type { Tx } from '../../sync/tx.ts';
import type { Question } from './payload.ts';

/** Time that a question waits before a push: rules and people at a page may answer at once. The same for the next turn of a chat. */
const DELAY_MS = 1_000;
/** After a restart clients get this time to reconnect and to report their presence. */
const RESTART_DELAY_MS = 15_000;
/** Largest number of ended turns that a stopping host leaves to the next one. */
const MAX_OWED = 64;
const OWED_KEY = 'pushOwed';

/** A turn that has ended. */
export interface EndedTurn {
  readonly session: string;
  readonly chat: string;
  readonly turnId: string;
}

/** A question that waits for a person. */
export interface AskedQuestion {
  readonly session: string;
  /** `id` in the session's `inputNeeded`. */
  readonly id: string;
}

interface Parts {
  readonly sync: Sync;
  readonly timers: Timers;
  /** Whether devices are registered. */
  isNeeded(): boolean;
  onQuestion(asked: AskedQuestion): void;
  onTurnEnded(ended: EndedTurn): void;
}

/** Finds the occasions of pushes: questions that are new, and turns that end. Loaded history, replays and decisions of rules are no occasions. */
export class Occasions {
  readonly #parts: Parts;
  readonly #timers = new Set<Cancel>();
  #owed: EndedTurn[] = [];
  #delayMs = RESTART_DELAY_MS;
  #isStopped = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Registers the observers. */
  observe(): void {
    const { sync } = this.#parts;
    sync.observe('session', (tx, { channel, action, before }) => {
      if (action.type !== 'session/inputNeededSet' || !this.#isOn) return;
      const { request } = action;
      if (!isQuestion(request) || !isNew(before, request)) return;
      const asked = { session: channel.uri, id: request.id };
      tx.effect(() => this.#later(() => this.#parts.onQuestion(asked)));
    });
    sync.observe('chat', (tx, { channel, action, before, after }) => {
      if (action.type !== 'chat/turnComplete' && action.type !== 'chat/error') return;
      if (before.activeTurn?.id !== action.turnId) return;
      const { session } = channel;
      if (session === undefined || !this.#parts.isNeeded() || !endsForPeople(after)) return;
      const ended = { session, chat: channel.uri, turnId: action.turnId };
      if (this.#isStopped) this.#owe(tx, after, ended);
      else tx.effect(() => this.#later(() => this.#parts.onTurnEnded(ended)));
    });
  }

  /** Reports the turns that the last host ended when it stopped. Later occasions are reported without the delay of a restart. */
  async recover(): Promise<void> {
    const { sync } = this.#parts;
    const text = await sync.journal.readMeta(OWED_KEY);
    // Written by `#owe`.
    const owed: EndedTurn[] = text === undefined || text === '' ? [] : JSON.parse(text);
    if (owed.length > 0) await sync.commitRows([{ op: 'meta', key: OWED_KEY, value: '' }]);
    for (const ended of owed) this.#later(() => this.#parts.onTurnEnded(ended));
    this.#delayMs = DELAY_MS;
  }

  /** Reports nothing more. Turns that the stop of the host ends are left to the next host. */
  stop(): void {
    this.#isStopped = true;
    for (const cancel of this.#timers) cancel();
    this.#timers.clear();
  }

  get #isOn(): boolean {
    return !this.#isStopped && this.#parts.isNeeded();
  }

  #later(run: () => void): void {
    if (this.#isStopped) return;
    const cancel = this.#parts.timers.after(this.#delayMs, () => {
      this.#timers.delete(cancel);
      run();
    });
    this.#timers.add(cancel);
  }

  #owe(tx: Tx, after: ChatState, ended: EndedTurn): void {
    const turn = after.turns.at(-1);
    if (turn === undefined || errorOf(turn)?.errorType !== 'hostRestarted') return;
    this.#owed = [...this.#owed, ended].slice(-MAX_OWED);
    tx.write({ op: 'meta', key: OWED_KEY, value: JSON.stringify(this.#owed) });
  }
}

/** Whether a person has to answer it. A client runs the others. */
export const isQuestion = (request: SessionInputRequest | undefined): request is Question =>
  request !== undefined && request.kind !== 'toolClientExecution';

/** Whether the session did not ask this before: a draft of an answer sets the entry again. */
function isNew(before: SessionState, request: Question): boolean {
  const earlier = findById(before.inputNeeded, request.id);
  return earlier === undefined || stepOf(earlier) !== stepOf(request);
}

const stepOf = (request: SessionInputRequest): string =>
  request.kind === 'chatInput' ? request.kind : `${request.kind}/${request.toolCall.status}`;

/** The end of a worker's turn is a step of another turn, and people do not see hidden chats. */
const endsForPeople = ({ origin, interactivity }: ChatState): boolean =>
  origin?.kind !== 'tool' && interactivity !== 'hidden';
