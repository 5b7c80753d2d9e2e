import type { ChatHandle, DispatchOutcome } from '@agenthost/client';
import type {
  ChatInputAnswer,
  ChatInputAnswerValue,
  ChatInputQuestion,
  ChatInputRequest,
  ChatInputResponseKind,
} from '@agenthost/protocol';
import type { LineReader, Lines } from '../process/line-reader.ts';
import { oneLine, plain } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';
import { readAnswer, typingHint } from './typed-answer.ts';

/** Answers to the questions of an agent. */
export interface InputResponse {
  readonly response: ChatInputResponseKind;
  readonly answers: Record<string, ChatInputAnswer>;
}

/** A request as it is filled in, by this person and by others elsewhere. */
export interface OpenForm {
  /** As it stands now; `undefined` once it is closed. */
  readonly request: ChatInputRequest | undefined;
  submit(questionId: string, value: ChatInputAnswerValue): Promise<DispatchOutcome>;
  skip(questionId: string): Promise<DispatchOutcome>;
}

/** Shows what it is about. */
export function showInputRequest(screen: Screen, request: ChatInputRequest): void {
  const { colors, marks } = screen;
  const [first, ...rest] = plain(request.message ?? 'The agent asks').split('\n');
  screen.note(`${colors.yellow(marks.asks)} ${colors.bold(first ?? '')}`);
  for (const line of rest) screen.note(`    ${line}`);
  if (request.url !== undefined) screen.note(`    open ${oneLine(request.url, 2_000)}`);
}

/** Shows all that is asked, to be answered elsewhere or later. */
export function showQuestions(screen: Screen, request: ChatInputRequest): void {
  showInputRequest(screen, request);
  for (const question of request.questions ?? []) showInputQuestion(screen, question);
}

/**
 * Asks the questions of a request one after the other in the terminal; `!` declines all of it. Each answer is shown to other clients at
 * once, and what they have answered or begun is proposed. `undefined` when the signal aborts or input ends first.
 */
export async function askInputRequest(
  screen: Screen,
  lines: Lines,
  form: OpenForm,
  signal: AbortSignal,
): Promise<InputResponse | undefined> {
  const { request } = form;
  if (signal.aborted || request === undefined) return undefined;
  showInputRequest(screen, request);
  const answers: Record<string, ChatInputAnswer> = {};
  const questions = request.questions ?? [];
  if (questions.length === 0) {
    screen.ask('    Enter accepts, ! declines > ');
    const line = await lines.next(signal);
    if (line === undefined) return undefined;
    screen.answered();
    return { response: line.trim() === '!' ? 'decline' : 'accept', answers };
  }
  for (const question of questions) {
    const value = await askQuestion(screen, lines, { question, form, signal });
    if (value === undefined) return undefined;
    if (value === 'decline') return { response: 'decline', answers: {} };
    answers[question.id] = value === 'skip' ? { state: 'skipped' } : { state: 'submitted', value };
    // The answer that closes the request has all of it again, so nothing depends on what becomes of this.
    if (value === 'skip') void form.skip(question.id);
    else void form.submit(question.id, value);
  }
  return { response: 'accept', answers };
}

async function askQuestion(
  screen: Screen,
  lines: Lines,
  { question, form, signal }: { question: ChatInputQuestion; form: OpenForm; signal: AbortSignal },
): Promise<ChatInputAnswerValue | 'skip' | 'decline' | undefined> {
  showInputQuestion(screen, question);
  for (;;) {
    const shown = answerTo(form, question);
    screen.ask(`    ${typingHint(question, shown)} > `);
    const line = await lines.next(signal);
    if (line === undefined) return undefined;
    screen.answered();
    if (line.trim() === '!') return 'decline';
    const value = line.trim() === '-' && question.required !== true ? '' : readAnswer(question, line, shown);
    if (typeof value !== 'string') return value;
    if (value === '' && question.required !== true) return 'skip';
    screen.note(`    ${value === '' ? 'an answer is required; ! declines' : oneLine(value, 1_000)}`);
  }
}

function answerTo({ request }: OpenForm, { id }: ChatInputQuestion): ChatInputAnswer | undefined {
  const answers = request?.answers ?? {};
  return Object.hasOwn(answers, id) ? answers[id] : undefined;
}

function showInputQuestion(screen: Screen, question: ChatInputQuestion): void {
  screen.note(
    `    ${oneLine(question.title ?? question.message)}${question.required === true ? '' : ' (optional)'}`,
  );
  if (question.title !== undefined) screen.note(`    ${oneLine(question.message, 1_000)}`);
  if (!('options' in question)) return;
  question.options.forEach(({ label, description, recommended }, index) => {
    const more = [description, recommended === true ? 'recommended' : undefined].filter((text) => text);
    screen.note(
      `      ${index + 1}) ${oneLine(label)}${more.length === 0 ? '' : `  ${oneLine(more.join('; '))}`}`,
    );
  });
}

/** The questions that are being answered here, one form at a time. */
export class FormFilling {
  readonly #screen: Screen;
  readonly #reader: Pick<LineReader, 'hold'>;
  #open: { readonly requestId: string; readonly leave: AbortController } | undefined;

  constructor(screen: Screen, reader: Pick<LineReader, 'hold'>) {
    this.#screen = screen;
    this.#reader = reader;
  }

  /** Asks the questions of a request; lines go to it until then. `undefined` when it was left, or closed elsewhere. */
  async fill(chat: ChatHandle, requestId: string): Promise<InputResponse | undefined> {
    const leave = new AbortController();
    const lines = this.#reader.hold();
    this.#open = { requestId, leave };
    try {
      return await askInputRequest(this.#screen, lines, chat.inputRequest(requestId), leave.signal);
    } finally {
      this.#open = undefined;
      lines.release();
    }
  }

  /** A request was closed, by whomever; without an id all are. */
  closed(requestId?: string): void {
    if (this.#open === undefined) return;
    if (requestId !== undefined && requestId !== this.#open.requestId) return;
    if (requestId !== undefined) this.#screen.note('    answered by another client');
    this.#open.leave.abort();
  }
}
