import type {
  ClientToolCall,
  FileChange,
  HostToolCall,
  InputQuestions,
  InputResponse,
  ToolCallHandle,
  ToolCallStart,
  TurnOutput,
  WorkerChat,
  WorkerChatStart,
} from '@agenthost/host/agent';
import type { FileEdit, StringOrMarkdown, ToolCallResult, UsageInfo } from '@agenthost/protocol';
import { RecordedAsk } from './recording-ask.ts';
import { type RecordedCall, type RecordedCallStatus, RecordingCall } from './recording-call.ts';
import { RecordedWorker } from './recording-worker.ts';

/** One call of a provider in a turn. */
export type TurnEvent =
  | { kind: 'markdown' | 'reasoning'; text: string }
  | { kind: 'notify'; content: StringOrMarkdown }
  | { kind: 'usage'; usage: UsageInfo }
  | { kind: 'activity'; text: string | undefined }
  | { kind: 'worker'; uri: string; toolCallId: string }
  | { kind: 'workerTurn'; uri: string }
  | { kind: 'call'; id: string; status: RecordedCallStatus }
  | { kind: 'clientTool'; call: ClientToolCall }
  | { kind: 'ask'; ask: RecordedAsk; isOpen: boolean };

/**
 * A turn that records calls. It follows the state machine of [CHAT-7]. An illegal call does nothing, as in the
 * host, and is recorded in `violations`.
 */
export class RecordingTurn implements TurnOutput {
  readonly events: TurnEvent[] = [];
  readonly calls: RecordedCall[] = [];
  /** Input requests, oldest first. */
  readonly asks: RecordedAsk[] = [];
  /** Calls of clients' tools, oldest first. */
  readonly clientCalls: ClientToolCall[] = [];
  /** Calls of tools of the host. */
  readonly hostCalls: HostToolCall[] = [];
  /** Plays the tools of the host. */
  onHostTool: (call: HostToolCall) => ToolCallResult | Promise<ToolCallResult> = () => ({
    success: true,
    pastTenseMessage: 'Done',
  });
  /** Plays the client that runs the tool. */
  onClientTool: (call: ClientToolCall, withdrawn?: AbortSignal) => ToolCallResult | Promise<ToolCallResult> =
    () => ({
      success: true,
      pastTenseMessage: 'Done',
    });
  readonly violations: string[] = [];
  readonly fileChanges: FileChange[] = [];
  /** Opened worker chats, in order. */
  readonly workers: RecordedWorker<RecordingTurn>[] = [];
  readonly #ended = new AbortController();
  /** Awaited by the text methods; set it to delay a provider. */
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

  /** Calls `check` now and after each event. Resolves with its first result, rejects when the turn ends first. */
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

  /** Resolves with the first call in state `status`. */
  callIn(status: RecordedCallStatus): Promise<RecordedCall> {
    return this.until(() => this.calls.find((call) => call.status === status));
  }

  /** Resolves with the first open input request. */
  openAsk(): Promise<RecordedAsk> {
    return this.until(() => this.asks.find((ask) => ask.isOpen));
  }

  /** Ends the turn: open questions resolve as skipped, later output is dropped. */
  end(): void {
    this.#isOver = true;
    this.#ended.abort();
    for (const { turns } of this.workers) for (const { output } of turns) output.end();
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

  async ready(): Promise<void> {
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

  async clientTool(call: ClientToolCall, withdrawn?: AbortSignal): Promise<ToolCallResult> {
    this.clientCalls.push(call);
    this.#record({ kind: 'clientTool', call });
    // Runs after the test's synchronous code for the new turn.
    await new Promise((resolve) => setImmediate(resolve));
    return this.onClientTool(call, withdrawn);
  }

  async hostTool(call: HostToolCall): Promise<ToolCallResult> {
    this.hostCalls.push(call);
    await new Promise((resolve) => setImmediate(resolve));
    return this.onHostTool(call);
  }

  ask(request: InputQuestions, withdrawn?: AbortSignal): Promise<InputResponse> {
    const ask = new RecordedAsk(request, () => this.#record({ kind: 'ask', ask, isOpen: false }));
    if (this.#isOver || withdrawn?.aborted === true) ask.cancel();
    else {
      this.asks.push(ask);
      this.#onOver.push(() => ask.cancel());
      withdrawn?.addEventListener('abort', () => ask.cancel(), { once: true });
      this.#record({ kind: 'ask', ask, isOpen: true });
    }
    return ask.response;
  }

  spawnChat(start: WorkerChatStart): WorkerChat {
    if (!this.calls.some(({ id }) => id === start.toolCallId))
      this.violations.push(`spawnChat for an unknown call ${start.toolCallId}`);
    const uri = `ahp-chat:/worker-${this.workers.length + 1}`;
    const worker = new RecordedWorker(uri, start, {
      newOutput: () => new RecordingTurn(),
      signal: this.#ended.signal,
      began: () => this.#record({ kind: 'workerTurn', uri }),
    });
    this.workers.push(worker);
    this.#record({ kind: 'worker', uri, toolCallId: start.toolCallId });
    return worker;
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
