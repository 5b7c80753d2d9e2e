import type { StateAction, URI } from '@agenthost/protocol';
import type { Clock } from '../clock.ts';
import type { ReportError } from '../listeners.ts';
import { readLife, type SavedAction, type SavedLife, writeLife } from './saved-life.ts';

/**
 * Keeps the unanswered actions of a client over a reload of its page. Use one memory for each host and token, and one running client for each
 * memory: two clients with one memory replace each other.
 *
 * @example
 * const memory: ClientMemory = {
 *   load: () => sessionStorage.getItem('agenthost'),
 *   save: (text) => sessionStorage.setItem('agenthost', text),
 * };
 */
export interface ClientMemory {
  /** Returns the text of the last `save`, if there is one. Called once, when the client is made. */
  load(): string | null | undefined;
  /**
   * Stores a text in place of the earlier one, before it returns. Called before an action is sent, and within `SETTLED_DELAY_MS` after
   * actions were settled. An error goes to `onError`; the action is sent nevertheless.
   */
  save(text: string): void;
}

/** Largest number of actions in a memory. More are sent, but a reload loses those that have no answer. */
export const MAX_SAVED_ACTIONS = 1_000;

/** Largest length of all actions in a memory, in UTF-16 code units of JSON. Larger ones are treated like more than `MAX_SAVED_ACTIONS`. */
export const MAX_SAVED_LENGTH = 1024 * 1024;

/** Milliseconds after which an action in a memory is dropped instead of sent again. */
export const MAX_SAVED_AGE_MS = 24 * 60 * 60 * 1_000;

/** Milliseconds until settled actions are removed from the memory. The host answers an action that is sent again without need [ACT-5]. */
const SETTLED_DELAY_MS = 250;

/** Numbers that are reserved at once for actions that are not saved, so that not each of them needs a `save`. */
const RESERVED_SEQS = 1_000;

/** Input may be a password. Sizes, partial results and offered tools are stale after a reload. */
const NEVER_SAVED: ReadonlySet<string> = new Set([
  'terminal/input',
  'terminal/resized',
  'chat/toolCallContentChanged',
  'session/activeClientSet',
]);

/** The saved life of a client, continued or begun. */
export class ActionStore {
  /** Actions of the last page that are sent again, in order. */
  readonly restored: readonly SavedAction[];
  /** Actions of the last page that are too old. */
  readonly expired: readonly SavedAction[];
  readonly #memory: ClientMemory;
  readonly #clock: Clock;
  readonly #report: ReportError;
  readonly #saved = new Map<number, { readonly text: string; readonly key: string | undefined }>();
  #life: Omit<SavedLife, 'pending'>;
  #length = 0;
  #timer: unknown;
  #isClosed = false;

  /** Continues the life in the memory, if there is one; else, or when it is that of another client than `clientId`, begins a new one. */
  constructor(
    memory: ClientMemory,
    parts: { clock: Clock; report: ReportError; newId: () => string; clientId: string | undefined },
  ) {
    this.#memory = memory;
    this.#clock = parts.clock;
    this.#report = parts.report;
    const { newId, clientId } = parts;
    const found = this.#load();
    const life = clientId === undefined || found?.clientId === clientId ? found : undefined;
    const { pending = [] } = life ?? {};
    const isFresh = ({ at }: SavedAction): boolean => this.#clock.now() - at <= MAX_SAVED_AGE_MS;
    this.restored = pending.filter(isFresh);
    this.expired = pending.filter((item) => !isFresh(item));
    this.#life = life ?? { clientId: clientId ?? newId(), epoch: newId(), nextClientSeq: 1 };
    for (const item of this.restored) this.#keep(item);
    if (life === undefined || this.expired.length > 0) this.#save();
  }

  get clientId(): string {
    return this.#life.clientId;
  }

  get epoch(): string {
    return this.#life.epoch;
  }

  /** The first number for an action of this page. */
  get nextClientSeq(): number {
    return this.#life.nextClientSeq;
  }

  /** Call it before an action is sent for the first time. */
  add(channel: URI, clientSeq: number, action: StateAction): void {
    if (this.#isClosed) return;
    const isKept = this.#keep({ channel, clientSeq, action, at: this.#clock.now() });
    const isReserved = clientSeq < this.nextClientSeq;
    if (!isReserved) this.#life = { ...this.#life, nextClientSeq: clientSeq + RESERVED_SEQS };
    if (isKept || !isReserved) this.#save();
  }

  /** Call it when an action has its outcome. */
  settled(clientSeq: number): void {
    if (this.#isClosed || !this.#remove(clientSeq)) return;
    this.#timer ??= this.#clock.setTimeout(() => this.#save(), SETTLED_DELAY_MS);
  }

  /**
   * Stops using the memory, which keeps the actions without an outcome. `isOwner`: no other client has taken the memory over, so a delayed
   * `save` is done now.
   */
  close(isOwner: boolean): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (this.#timer === undefined) return;
    if (isOwner) this.#save();
    else this.#clock.clearTimeout(this.#timer);
  }

  #load(): SavedLife | undefined {
    try {
      const text = this.#memory.load();
      return text === null || text === undefined ? undefined : readLife(text);
    } catch (error) {
      this.#report(error, 'load of the memory');
      return undefined;
    }
  }

  #keep({ channel, clientSeq, action, at }: SavedAction): boolean {
    if (NEVER_SAVED.has(action.type)) return false;
    const text = JSON.stringify({ channel, clientSeq, action, at });
    const key = replacedBy(channel, action);
    if (key !== undefined) for (const [seq, other] of this.#saved) if (other.key === key) this.#remove(seq);
    if (this.#saved.size >= MAX_SAVED_ACTIONS || this.#length + text.length > MAX_SAVED_LENGTH) return false;
    this.#saved.set(clientSeq, { text, key });
    this.#length += text.length;
    return true;
  }

  #remove(clientSeq: number): boolean {
    this.#length -= this.#saved.get(clientSeq)?.text.length ?? 0;
    return this.#saved.delete(clientSeq);
  }

  #save(): void {
    this.#clock.clearTimeout(this.#timer);
    this.#timer = undefined;
    try {
      this.#memory.save(
        writeLife(
          this.#life,
          Array.from(this.#saved.values(), ({ text }) => text),
        ),
      );
    } catch (error) {
      this.#report(error, 'save of the memory');
    }
  }
}

/** Actions with one key replace each other: only the last one is saved. They are dispatched while a person types. */
function replacedBy(channel: URI, action: StateAction): string | undefined {
  if (action.type === 'chat/draftChanged') return JSON.stringify([channel]);
  if (action.type !== 'chat/inputAnswerChanged') return undefined;
  return JSON.stringify([channel, action.requestId, action.questionId]);
}
