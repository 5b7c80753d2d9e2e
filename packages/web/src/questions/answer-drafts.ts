import type { DispatchOutcome } from '@agenthost/client';
import type { ChatInputAnswer, ChatInputQuestion, ChatInputRequest } from '@agenthost/protocol';
import { Emitter } from '../live/emitter.ts';
import { answerValueOf, type FieldValue, fieldOf } from './answer-fields.ts';

/** Drafts of answers are sent at most once in this time for each question. Milliseconds. */
export const DRAFT_INTERVAL_MS = 250;

/** Sends one answer; without `answer` it is removed. */
export type SendAnswer = (
  questionId: string,
  answer: ChatInputAnswer | undefined,
) => Promise<DispatchOutcome>;

interface Entry {
  field: FieldValue;
  /** Identity of the answer that this form and the host last had in common. */
  base: string;
  /** Identities of answers from before those that were sent. The request that is shown may still have one of them. */
  readonly passed: Set<string>;
  sending: number;
  timer: ReturnType<typeof setTimeout> | undefined;
}

/**
 * The fields of one input request. Drafts are shared with other clients: what others enter shows up here, except in the question that the person
 * here writes at [CHAT-13].
 */
export class AnswerDrafts {
  readonly #send: SendAnswer;
  readonly #entries = new Map<string, Entry>();
  readonly #changed = new Emitter();
  #request: ChatInputRequest;
  #fields: ReadonlyMap<string, FieldValue> = new Map();
  #focused: string | undefined;

  constructor(request: ChatInputRequest, send: SendAnswer) {
    this.#request = request;
    this.#send = send;
    this.update(request);
  }

  /** The field of each question, by its id. Another object after a change. */
  get fields(): ReadonlyMap<string, FieldValue> {
    return this.#fields;
  }

  /** Calls `listener` after `fields` changed. Returns a function that removes it. */
  onChange = (listener: () => void): (() => void) => this.#changed.add(listener);

  /** Takes over what others entered. */
  update(request: ChatInputRequest): void {
    this.#request = request;
    let hasChanged = false;
    for (const question of request.questions ?? []) hasChanged = this.#merge(question) || hasChanged;
    if (hasChanged) this.#publish();
  }

  /** Changes a field as the person here does. */
  edit(question: ChatInputQuestion, field: FieldValue): void {
    const entry = this.#entries.get(question.id);
    if (entry === undefined) return;
    entry.field = field;
    entry.timer ??= setTimeout(() => this.#flush(question, entry), DRAFT_INTERVAL_MS);
    this.#publish();
  }

  /** Tells which question has the focus; `undefined`: none. */
  focus(questionId: string | undefined): void {
    this.#focused = questionId;
    if (questionId === undefined) this.update(this.#request);
  }

  /** Sends what is not sent yet. */
  flush(): void {
    for (const question of this.#request.questions ?? []) {
      const entry = this.#entries.get(question.id);
      if (entry?.timer !== undefined) this.#flush(question, entry);
    }
  }

  /** Forgets what is not sent yet: the form was submitted or closed. */
  stop(): void {
    for (const entry of this.#entries.values()) {
      clearTimeout(entry.timer);
      entry.timer = undefined;
    }
  }

  #merge(question: ChatInputQuestion): boolean {
    const { answers = {} } = this.#request;
    const answer = Object.hasOwn(answers, question.id) ? answers[question.id] : undefined;
    const remote = JSON.stringify(answer ?? null);
    const entry = this.#entries.get(question.id);
    if (entry === undefined) {
      const field = fieldOf(question, answer);
      this.#entries.set(question.id, {
        field,
        base: remote,
        passed: new Set(),
        sending: 0,
        timer: undefined,
      });
      return true;
    }
    if (remote === entry.base) {
      entry.passed.clear();
      return false;
    }
    if (entry.sending > 0 || entry.timer !== undefined || entry.passed.has(remote)) return false;
    // Moving text under the cursor would be worse than showing it later.
    if (this.#focused === question.id) return false;
    entry.base = remote;
    entry.passed.clear();
    entry.field = fieldOf(question, answer);
    return true;
  }

  #flush(question: ChatInputQuestion, entry: Entry): void {
    clearTimeout(entry.timer);
    entry.timer = undefined;
    const value = answerValueOf(question, entry.field);
    const answer: ChatInputAnswer | undefined = value && { state: 'draft', value };
    const key = JSON.stringify(answer ?? null);
    if (key === entry.base) return;
    entry.passed.add(entry.base);
    entry.passed.delete(key);
    entry.base = key;
    entry.sending += 1;
    void this.#send(question.id, answer).then(({ outcome }) => {
      entry.sending -= 1;
      if (outcome === 'rejected' || outcome === 'dropped') entry.passed.clear();
      this.update(this.#request);
    });
  }

  #publish(): void {
    this.#fields = new Map(Array.from(this.#entries, ([id, { field }]) => [id, field]));
    this.#changed.emit();
  }
}
