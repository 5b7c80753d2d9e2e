import type {
  AgentCommand,
  AgentProvider,
  AgentSession,
  AgentSessionHost,
  FileChange,
  OpenAgentSession,
  ResolvedConfig,
  ToolCallAnswer,
  ToolCallHandle,
  ToolCallQuestion,
  ToolCallReady,
  ToolCallStart,
  TurnInput,
  TurnOutput,
} from '@agenthost/host';
import type {
  FileEdit,
  MessageAttachment,
  StringOrMarkdown,
  ToolCallResult,
  ToolResultContent,
  Turn,
  UsageInfo,
} from '@agenthost/protocol';

/** State of a recorded tool call, as on the wire. */
export type RecordedCallStatus =
  | 'streaming'
  | 'pending-confirmation'
  | 'running'
  | 'pending-result-confirmation'
  | 'completed'
  | 'cancelled';

/** A tool call as a recording turn saw it, and the person's side of it. */
export interface RecordedCall {
  readonly id: string;
  readonly start: ToolCallStart;
  /** Streamed parameters so far. */
  readonly input: string;
  readonly status: RecordedCallStatus;
  /** What the last `confirm` or `run` showed. */
  readonly shown: ToolCallQuestion | undefined;
  readonly questions: readonly ToolCallQuestion[];
  /** Every partial content, oldest first. */
  readonly contents: readonly (readonly ToolResultContent[])[];
  readonly result: ToolCallResult | undefined;
  /** Answers the open confirmation. Throws when none is open. */
  answer(answer: ToolCallAnswer): void;
  /** Answers the open result confirmation. Throws when none is open. */
  answerResult(approved: boolean): void;
}

/** One thing that a provider did in a turn, in order. */
export type TurnEvent =
  | { kind: 'markdown' | 'reasoning'; text: string }
  | { kind: 'notify'; content: StringOrMarkdown }
  | { kind: 'usage'; usage: UsageInfo }
  | { kind: 'activity'; text: string | undefined }
  | { kind: 'call'; id: string; status: RecordedCallStatus };

/**
 * A turn that records instead of committing. It holds the state machine of [CHAT-7]: what a call's state does not allow
 * does nothing, as in the host, and is noted in `violations`.
 */
export class RecordingTurn implements TurnOutput {
  readonly events: TurnEvent[] = [];
  readonly calls: RecordedCall[] = [];
  readonly violations: string[] = [];
  readonly fileChanges: FileChange[] = [];
  /** Awaited by the text methods: set it to hold a provider back. */
  backPressure: (() => Promise<void>) | undefined;
  #isOver = false;
  #onOver: (() => void)[] = [];
  #watchers: (() => void)[] = [];

  /** All Markdown, joined. */
  get text(): string {
    return this.#joined('markdown');
  }

  /** All reasoning, joined. */
  get thoughts(): string {
    return this.#joined('reasoning');
  }

  get lastUsage(): UsageInfo | undefined {
    return this.events.findLast((event) => event.kind === 'usage')?.usage;
  }

  /** Resolves once `check` returns something, with it; looks again after every event. */
  until<T>(check: () => T | undefined | false): Promise<T> {
    return new Promise((resolve, reject) => {
      const look = (): boolean => {
        const found = check();
        if (found === undefined || found === false) return false;
        resolve(found);
        return true;
      };
      if (look()) return;
      if (this.#isOver) {
        reject(new Error('The turn ended before what was waited for happened'));
        return;
      }
      const watcher = (): void => {
        if (look()) this.#watchers = this.#watchers.filter((other) => other !== watcher);
        else if (this.#isOver) reject(new Error('The turn ended before what was waited for happened'));
      };
      this.#watchers.push(watcher);
    });
  }

  /** Resolves with the first call whose state is `status`. */
  callIn(status: RecordedCallStatus): Promise<RecordedCall> {
    return this.until(() => this.calls.find((call) => call.status === status));
  }

  /** Ends the turn: open questions resolve as skipped, later output is dropped. */
  end(): void {
    this.#isOver = true;
    for (const over of this.#onOver.splice(0)) over();
    for (const watcher of this.#watchers.splice(0)) watcher();
  }

  async markdown(text: string): Promise<void> {
    this.#record({ kind: 'markdown', text });
    await this.backPressure?.();
  }

  async reasoning(text: string): Promise<void> {
    this.#record({ kind: 'reasoning', text });
    await this.backPressure?.();
  }

  notify(content: StringOrMarkdown): void {
    this.#record({ kind: 'notify', content });
  }

  usage(usage: UsageInfo): void {
    this.#record({ kind: 'usage', usage });
  }

  activity(text: string | undefined): void {
    this.#record({ kind: 'activity', text });
  }

  fileEdit(change: FileChange): FileEdit {
    this.fileChanges.push(change);
    const ref = (side: string, text: string) => ({
      uri: change.uri,
      content: { uri: `content:/${this.fileChanges.length}/${side}`, sizeHint: text.length },
    });
    return {
      ...(change.before === undefined ? {} : { before: ref('before', change.before) }),
      ...(change.after === undefined ? {} : { after: ref('after', change.after) }),
    };
  }

  toolCall(start: ToolCallStart): ToolCallHandle {
    const call = new RecordingCall(start, start.toolCallId ?? `call-${this.calls.length + 1}`, {
      record: (status) => this.#record({ kind: 'call', id: call.id, status }),
      violation: (what) => this.violations.push(what),
      isOver: () => this.#isOver,
      onOver: (callback) => this.#onOver.push(callback),
    });
    this.calls.push(call);
    this.#record({ kind: 'call', id: call.id, status: 'streaming' });
    return call.handle;
  }

  #joined(kind: 'markdown' | 'reasoning'): string {
    return this.events.map((event) => (event.kind === kind ? event.text : '')).join('');
  }

  #record(event: TurnEvent): void {
    if (this.#isOver) return;
    this.events.push(event);
    for (const watcher of [...this.#watchers]) watcher();
  }
}

interface CallOwner {
  record(status: RecordedCallStatus): void;
  violation(what: string): void;
  isOver(): boolean;
  onOver(callback: () => void): void;
}

class RecordingCall implements RecordedCall {
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

/** A session host that records what an agent session tells it. */
export class RecordingSessionHost implements AgentSessionHost {
  memory: unknown;
  readonly titles: string[] = [];
  readonly configs: ResolvedConfig[] = [];
  readonly exits: string[] = [];
  commandList: readonly AgentCommand[] = [];

  saveMemory(memory: unknown): void {
    // As over a restart: what is handed back has been JSON in between.
    this.memory = JSON.parse(JSON.stringify(memory));
  }

  title(title: string): void {
    this.titles.push(title);
  }

  config(config: ResolvedConfig): void {
    this.configs.push(config);
  }

  commands(commands: readonly AgentCommand[]): void {
    this.commandList = commands;
  }

  exited(reason: string): void {
    this.exits.push(reason);
  }
}

/** What `openChat` takes beside the provider. */
export interface OpenChatOptions {
  /** Absolute path; exists. */
  workingDirectory: string;
  config?: Readonly<Record<string, unknown>>;
  /** What an earlier session of the chat saved. */
  memory?: unknown;
  history?: readonly Turn[];
}

/** A prompt's turn under way. */
export interface RunningTurn {
  readonly output: RecordingTurn;
  /** Cancels. */
  readonly controller: AbortController;
  /** Settles as `runTurn` does; the recording turn is over by then. */
  readonly done: Promise<void>;
}

/** An open agent session with a recording host around it. */
export interface OpenChat {
  readonly session: AgentSession;
  readonly host: RecordingSessionHost;
  /** Runs one turn. The id defaults to `turn-1`, `turn-2`, … */
  prompt(
    text: string,
    options?: { turnId?: string; model?: string; attachments?: MessageAttachment[] },
  ): RunningTurn;
}

/** Opens a chat on a provider without any host. Rejects as `openSession` does. */
export async function openChat(provider: AgentProvider, options: OpenChatOptions): Promise<OpenChat> {
  const host = new RecordingSessionHost();
  host.memory = options.memory;
  const request: OpenAgentSession = {
    session: 'ahp-session:/1',
    chat: 'ahp-chat:/1',
    workingDirectory: options.workingDirectory,
    config: options.config ?? {},
    memory: options.memory,
    history: async () => options.history ?? [],
    host,
  };
  const session = await provider.openSession(request, new AbortController().signal);
  let turnCount = 0;
  return {
    session,
    host,
    prompt(text, turn = {}) {
      turnCount += 1;
      const output = new RecordingTurn();
      const controller = new AbortController();
      const input: TurnInput = {
        turnId: turn.turnId ?? `turn-${turnCount}`,
        message: {
          text,
          origin: { kind: 'user' },
          ...(turn.model === undefined ? {} : { model: { id: turn.model } }),
          ...(turn.attachments === undefined ? {} : { attachments: turn.attachments }),
        },
        locale: 'en',
        readResource: (uri) => Promise.reject(new Error(`No resource ${uri}`)),
      };
      const done = session.runTurn(input, output, controller.signal).finally(() => output.end());
      // A test that cancels may look at it later; the rejection is its to see, not the process's.
      done.catch(() => undefined);
      return { output, controller, done };
    },
  };
}
