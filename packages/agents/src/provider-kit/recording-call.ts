import type {
  ToolCallAnswer,
  ToolCallHandle,
  ToolCallQuestion,
  ToolCallReady,
  ToolCallStart,
} from '@agenthost/host/agent';
import type { ToolCallResult, ToolResultContent } from '@agenthost/protocol';

/** State of a recorded tool call, named as on the wire. */
export type RecordedCallStatus =
  | 'streaming'
  | 'pending-confirmation'
  | 'running'
  | 'pending-result-confirmation'
  | 'completed'
  | 'cancelled';

/** A recorded tool call, with controls for the user's answers. */
export interface RecordedCall {
  readonly id: string;
  readonly start: ToolCallStart;
  /** Streamed input so far. */
  readonly input: string;
  readonly status: RecordedCallStatus;
  /** Argument of the last `confirm` or `run`. */
  readonly shown: ToolCallQuestion | undefined;
  readonly questions: readonly ToolCallQuestion[];
  /** All partial contents, oldest first. */
  readonly contents: readonly (readonly ToolResultContent[])[];
  readonly result: ToolCallResult | undefined;
  /** Answers the open confirmation. Throws when none is open. */
  answer(answer: ToolCallAnswer): void;
  /** Answers the open result confirmation. Throws when none is open. */
  answerResult(approved: boolean): void;
}

/** Functions of the turn that a recorded call uses. */
export interface CallOwner {
  record(status: RecordedCallStatus): void;
  violation(what: string): void;
  isOver(): boolean;
  onOver(callback: () => void): void;
}

/** A call of a recording turn that follows the state machine of [CHAT-7]. */
export class RecordingCall implements RecordedCall {
  readonly id: string;
  readonly start: ToolCallStart;
  readonly questions: ToolCallQuestion[] = [];
  readonly contents: (readonly ToolResultContent[])[] = [];
  readonly handle: ToolCallHandle;
  input = '';
  status: RecordedCallStatus = 'streaming';
  shown: ToolCallQuestion | undefined;
  result: ToolCallResult | undefined;
  readonly #owner: CallOwner;
  #answer: ((answer: ToolCallAnswer) => void) | undefined;
  #answerResult: ((approved: boolean) => void) | undefined;

  constructor(start: ToolCallStart, id: string, owner: CallOwner) {
    this.id = id;
    this.start = start;
    this.#owner = owner;
    this.handle = {
      id,
      input: async (delta) => {
        if (this.#allows('input', ['streaming'])) this.input += delta;
      },
      confirm: (question) => this.#confirm(question),
      run: (ready) => this.#run(ready),
      content: (content) => {
        if (!this.#allows('content', ['running'])) return;
        this.contents.push(content);
        this.#move('running');
      },
      signIn: () => Promise.resolve(undefined),
      complete: (result, options) => this.#complete(result, options?.requiresResultConfirmation === true),
    };
  }

  answer(answer: ToolCallAnswer): void {
    if (!this.#answer) throw new Error(`No open confirmation on ${this.id} (${this.status})`);
    const resolve = this.#answer;
    this.#answer = undefined;
    this.#move(answer.approved ? 'running' : 'cancelled');
    resolve(answer);
  }

  answerResult(approved: boolean): void {
    if (!this.#answerResult) throw new Error(`No open result confirmation on ${this.id} (${this.status})`);
    const resolve = this.#answerResult;
    this.#answerResult = undefined;
    this.#move(approved ? 'completed' : 'cancelled');
    resolve(approved);
  }

  #confirm(question: ToolCallQuestion): Promise<ToolCallAnswer> {
    const skipped: ToolCallAnswer = { approved: false, reason: 'skipped' };
    if (!this.#allows('confirm', ['streaming', 'running'])) return Promise.resolve(skipped);
    return new Promise((resolve) => {
      this.#answer = resolve;
      this.#owner.onOver(() => resolve(skipped));
      this.questions.push(question);
      this.shown = question;
      this.#move('pending-confirmation');
    });
  }

  #run(ready: ToolCallReady): void {
    if (!this.#allows('run', ['streaming', 'running'])) return;
    this.shown = ready;
    this.#move('running');
  }

  #complete(result: ToolCallResult, isAsking: boolean): Promise<{ approved: boolean }> {
    if (!this.#allows('complete', ['running', 'pending-confirmation']))
      return Promise.resolve({ approved: false });
    this.result = result;
    if (!isAsking) {
      this.#move('completed');
      return Promise.resolve({ approved: true });
    }
    return new Promise((resolve) => {
      this.#answerResult = (approved) => resolve({ approved });
      this.#owner.onOver(() => resolve({ approved: false }));
      this.#move('pending-result-confirmation');
    });
  }

  #allows(what: string, states: readonly RecordedCallStatus[]): boolean {
    if (this.#owner.isOver()) return false;
    if (states.includes(this.status)) return true;
    this.#owner.violation(`${what} on ${this.id} while ${this.status}`);
    return false;
  }

  #move(status: RecordedCallStatus): void {
    this.status = status;
    this.#owner.record(status);
  }
}
