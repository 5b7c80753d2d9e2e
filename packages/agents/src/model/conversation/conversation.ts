import type { ModelMessage, UserModelMessage } from 'ai';
import type { Cost, ModelMemory, Summary } from './memory.ts';

/** Largest answer that is saved before its turn is complete, in UTF-16 code units of JSON. The rest is lost if the host is killed. */
const MAX_SAVED_LENGTH = 4 * 1024 * 1024;
/** Least length of new messages that are saved before the turn is complete. */
const LEAST_SAVED_LENGTH = 16 * 1024;

const SUMMARY_PREFACE =
  'The beginning of this conversation was replaced by this summary, because it became too long. Go on from it.';
const CONTINUE = 'Your answer broke off. Continue exactly where it stopped, without repeating anything.';

/** Stores the memory of a chat. */
export type SaveMemory = (memory: ModelMemory) => void;

/**
 * The messages that a model gets. Saves what the host's journal does not have: an incomplete answer is saved again only when it has grown
 * by half, so that all savings together are proportional to its length.
 */
export class Conversation {
  readonly #save: SaveMemory;
  #earlier: ModelMessage[];
  #summary: Summary | undefined;
  #turn: { readonly id: string; readonly message: UserModelMessage } | undefined;
  /** Messages after that of the turn. */
  #answer: ModelMessage[] = [];
  /** JSON lengths of `#answer`, and of the part that is saved. */
  #length = 0;
  #savedLength = 0;
  cost: Cost | undefined;

  constructor(save: SaveMemory, start: { earlier?: readonly ModelMessage[]; memory?: ModelMemory } = {}) {
    this.#save = save;
    this.#earlier = [...(start.earlier ?? [])];
    this.#summary = start.memory?.summary;
    this.cost = start.memory?.cost;
  }

  /** All messages, oldest first. */
  get messages(): readonly ModelMessage[] {
    const summary: ModelMessage[] =
      this.#summary === undefined
        ? []
        : [{ role: 'user', content: `${SUMMARY_PREFACE}\n\n<summary>\n${this.#summary.text}\n</summary>` }];
    const turn = this.#turn === undefined ? [] : [this.#turn.message];
    return [...summary, ...this.#earlier, ...turn, ...this.#answer];
  }

  get turnId(): string | undefined {
    return this.#turn?.id;
  }

  /** The text of the last answer. */
  get lastText(): string {
    const message = this.#answer.findLast(({ role }) => role === 'assistant');
    if (message === undefined || message.role !== 'assistant') return '';
    if (typeof message.content === 'string') return message.content;
    return message.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
  }

  /** Starts a turn. `answer`: what an earlier attempt has answered. */
  begin(id: string, message: UserModelMessage, answer: readonly ModelMessage[] = []): void {
    this.#close();
    this.#turn = { id, message };
    this.push(...answer);
    this.#savedLength = this.#length;
  }

  /** Adds messages of the present turn, each call with its result. */
  push(...messages: readonly ModelMessage[]): void {
    for (const message of messages) {
      this.#answer.push(message);
      this.#length += JSON.stringify(message).length;
    }
    const grownLength = this.#length - this.#savedLength;
    if (grownLength >= Math.max(this.#savedLength / 2, LEAST_SAVED_LENGTH)) this.checkpoint();
  }

  /** Adds the beginning of an answer that broke off, and the request to go on. */
  breakOff(text: string): void {
    if (text.trim() === '') return;
    this.push({ role: 'assistant', content: text }, { role: 'user', content: CONTINUE });
  }

  /** Adds what makes a model go on with an answer. */
  resume(): void {
    if (this.#answer.at(-1)?.role === 'assistant') this.push({ role: 'user', content: CONTINUE });
  }

  /** Saves the answer so far. */
  checkpoint(): void {
    if (this.#turn === undefined || this.#length > MAX_SAVED_LENGTH) return;
    this.#savedLength = this.#length;
    this.#save({ ...this.#lasting, turn: { id: this.#turn.id, messages: this.#answer } });
  }

  /** The turn is complete: the journal has it. */
  complete(): void {
    this.#close();
    this.#save(this.#lasting);
  }

  /** Replaces all messages before the present turn, and those of its answer, by a summary. */
  compact(text: string): void {
    if (this.#turn === undefined) return;
    this.#summary = { text, fromTurn: this.#turn.id };
    this.#earlier = [];
    this.#answer = [];
    this.#length = 0;
    this.#savedLength = 0;
    this.checkpoint();
  }

  get #lasting(): ModelMemory {
    return {
      ...(this.#summary === undefined ? {} : { summary: this.#summary }),
      ...(this.cost === undefined ? {} : { cost: this.cost }),
    };
  }

  #close(): void {
    if (this.#turn !== undefined) this.#earlier.push(this.#turn.message, ...this.#answer);
    this.#turn = undefined;
    this.#answer = [];
    this.#length = 0;
    this.#savedLength = 0;
  }
}
