import type { ChatHandle } from '@agenthost/client';
import type { ChatInputAnswer, ChatInputRequest } from '@agenthost/protocol';
import { defined, sameJson } from '@agenthost/protocol/values';
import { type Environment, tellFailure } from '../app/environment.ts';
import type { Panel } from '../app/panel.ts';
import { edited, insert, movedByLine } from '../composer/editor.ts';
import type { KeyContext } from '../keys/bindings.ts';
import type { KeyEvent } from '../keys/key-event.ts';
import {
  choicesOf,
  type Form,
  fieldOf,
  formOf,
  movedByRow,
  movedTo,
  questionAt,
  questionsOf,
  submission,
  toggled,
  typedInto,
  valueOf,
  withField,
} from './form.ts';
import { formLines, type PanelLines, type PanelRoom } from './form-lines.ts';

/** Delay before typed text is shared with other clients. */
const DRAFT_DELAY_MS = 250;

/** Answers one input request. What is typed is shared with other clients as drafts, and theirs show here. */
export class FormPanel implements Panel {
  readonly context: KeyContext = 'form';
  readonly #env: Environment;
  readonly #chat: ChatHandle;
  #form: Form;
  /** Answers as the host had them when they were last looked at, as JSON by question. */
  readonly #seen = new Map<string, string>();
  /** Questions that were typed in and not told yet. */
  readonly #unsaid = new Set<string>();
  #cancelTelling: (() => void) | undefined;

  constructor(env: Environment, chat: ChatHandle, request: ChatInputRequest) {
    this.#env = env;
    this.#chat = chat;
    this.#form = formOf(request);
    this.#remember(request);
  }

  /** Others have answered something. */
  update(request: ChatInputRequest): void {
    if (request === this.#form.request) return;
    let form: Form = { ...this.#form, request };
    for (const question of request.questions ?? []) {
      const answer = request.answers?.[question.id];
      const isNew = JSON.stringify(answer) !== this.#seen.get(question.id);
      const isKnown = form.fields[question.id] !== undefined;
      if (!isKnown || (isNew && !this.#unsaid.has(question.id))) {
        const before = form.fields[question.id];
        const field = fieldOf(question, answer);
        const row = before === undefined || choicesOf(question).length === 0 ? field.row : before.row;
        form = { ...form, fields: { ...form.fields, [question.id]: { ...field, row } } };
      }
    }
    this.#form = movedTo(form, form.at);
    this.#remember(request);
  }

  dispose(): void {
    this.#cancelTelling?.();
  }

  conditions(): readonly string[] {
    const question = questionAt(this.#form);
    if (question === undefined) return [];
    return [
      question.required === true ? '' : 'isOptional',
      choicesOf(question).length > 0 && !this.#takesText() ? 'isChoice' : '',
      question.kind === 'text' ? 'isText' : '',
    ];
  }

  lines(width: number, { isFocused }: PanelRoom): PanelLines {
    return formLines(this.#form, width, { marks: this.#env.marks, isFocused });
  }

  run(command: string): void {
    const question = questionAt(this.#form);
    switch (command) {
      case 'up':
      case 'down':
        return this.#moveRow(command === 'up' ? -1 : 1);
      case 'nextQuestion':
        return this.#leaveTo(this.#form.at + 1);
      case 'previousQuestion':
        return this.#leaveTo(this.#form.at - 1);
      case 'toggle':
        this.#form = toggled(this.#form);
        return this.#changed();
      case 'newline':
        return this.#edit(insert(this.#editor(), '\n'));
      case 'enter':
        return this.#enter();
      case 'skip':
        if (question !== undefined) {
          this.#form = withField(this.#form, question.id, {
            isSkipped: true,
            chosen: [],
            editor: { text: '', cursor: 0 },
          });
          this.#tellNow(question.id, 'submitted');
          this.#leaveTo(this.#form.at + 1);
        }
        return;
      case 'submit':
        return this.#submit();
      case 'decline':
        tellFailure(this.#env, 'not declined', this.#chat.respond(this.#form.request.id, 'decline'));
        return;
      default:
    }
  }

  type(event: KeyEvent): void {
    if (!this.#takesText()) return;
    const next = 'text' in event ? this.#typed(event.text) : edited(this.#editor(), event.key);
    if (next !== undefined) this.#edit(next);
  }

  paste(text: string): void {
    if (this.#takesText()) this.#edit(this.#typed(text.replace(/\r\n?/g, '\n')));
  }

  #editor(): { text: string; cursor: number } {
    const question = questionAt(this.#form);
    return (question && this.#form.fields[question.id]?.editor) ?? { text: '', cursor: 0 };
  }

  #typed(text: string): { text: string; cursor: number } {
    const question = questionAt(this.#form);
    const field = question && this.#form.fields[question.id];
    return field === undefined ? insert(this.#editor(), text) : typedInto(field, text);
  }

  /** In text questions always, in others on the row for own words. */
  #takesText(): boolean {
    const question = questionAt(this.#form);
    if (question === undefined) return false;
    const choices = choicesOf(question);
    const row = this.#form.fields[question.id]?.row ?? 0;
    return choices.length === 0 || choices[row]?.id === undefined;
  }

  #edit(editor: { text: string; cursor: number }): void {
    const question = questionAt(this.#form);
    if (question === undefined) return;
    const isSame = editor.text === this.#editor().text;
    const chosen = question.kind === 'single-select' && editor.text !== '' ? { chosen: [] } : {};
    this.#form = withField(this.#form, question.id, { editor, isSkipped: false, ...chosen });
    if (!isSame) this.#changed();
  }

  #moveRow(by: -1 | 1): void {
    const moved = this.#takesText() ? movedByLine(this.#editor(), by) : undefined;
    if (moved !== undefined) return this.#edit(moved);
    const before = questionAt(this.#form);
    this.#form = movedByRow(this.#form, by);
    if (before !== undefined && questionAt(this.#form) !== before) this.#tellNow(before.id, 'submitted');
  }

  #enter(): void {
    const question = questionAt(this.#form);
    if (question === undefined) return this.#submit();
    const isOne = question.kind === 'boolean' || question.kind === 'single-select';
    if (isOne && !this.#takesText()) {
      this.#form = toggled(this.#form);
      this.#unsaid.add(question.id);
    }
    if (this.#form.at === questionsOf(this.#form).length - 1) this.#submit();
    else this.#leaveTo(this.#form.at + 1);
  }

  #leaveTo(at: number): void {
    const question = questionAt(this.#form);
    if (question !== undefined) this.#tellNow(question.id, 'submitted');
    const count = questionsOf(this.#form).length;
    this.#form = movedTo(this.#form, at >= count ? 0 : at < 0 ? count - 1 : at);
  }

  #submit(): void {
    this.#cancelTelling?.();
    this.#unsaid.clear();
    const result = submission(this.#form);
    if ('form' in result) {
      this.#form = result.form;
      return;
    }
    tellFailure(this.#env, 'not sent', this.#chat.respond(this.#form.request.id, 'accept', result.answers));
  }

  #changed(): void {
    const question = questionAt(this.#form);
    if (question === undefined) return;
    this.#unsaid.add(question.id);
    this.#cancelTelling?.();
    this.#cancelTelling = this.#env.later(DRAFT_DELAY_MS, () => {
      for (const id of Array.from(this.#unsaid)) this.#tellNow(id, 'draft');
    });
  }

  /** Shares an answer if it is valid. */
  #tellNow(questionId: string, state: 'draft' | 'submitted'): void {
    const question = questionsOf(this.#form).find(({ id }) => id === questionId);
    const field = this.#form.fields[questionId];
    const wasUnsaid = this.#unsaid.delete(questionId);
    if (question === undefined || field === undefined) return;
    const value = valueOf(question, field);
    const before = this.#form.request.answers?.[questionId];
    const isRaise = state === 'submitted' && before?.state === 'draft';
    if (!wasUnsaid && !isRaise && !field.isSkipped) return;
    if (typeof value === 'string') return;
    const answer: ChatInputAnswer | undefined = field.isSkipped
      ? { state: 'skipped' }
      : value === undefined
        ? undefined
        : { state, value };
    if (sameJson(answer, before)) return;
    const { id } = this.#form.request;
    this.#seen.set(questionId, JSON.stringify(answer));
    const told = this.#chat.mirror.dispatch({
      type: 'chat/inputAnswerChanged',
      requestId: id,
      questionId,
      ...defined({ answer }),
    });
    tellFailure(this.#env, 'answer not shared', told);
  }

  #remember(request: ChatInputRequest): void {
    for (const { id } of request.questions ?? []) this.#seen.set(id, JSON.stringify(request.answers?.[id]));
  }
}
