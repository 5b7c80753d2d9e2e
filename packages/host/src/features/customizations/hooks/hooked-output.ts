import type { ToolCallResult } from '@agenthost/protocol';
import type {
  ToolCallAnswer,
  ToolCallHandle,
  ToolCallQuestion,
  ToolCallStart,
} from '../../../agents/tool-call.ts';
import type { TurnOutput } from '../../../agents/turn.ts';

/** What hooks do around the tool calls of a turn. */
export interface ToolHooks {
  /** Resolves with the reason why a call must not run, or `undefined`. Never rejects. */
  before(call: { readonly toolName: string; readonly toolInput: string }): Promise<string | undefined>;
  /** Called when a call has ended. Resolves when its hooks have ended. Never rejects. */
  after(call: {
    readonly toolName: string;
    readonly toolInput: string;
    readonly result: ToolCallResult;
  }): Promise<void>;
}

/**
 * The output of a turn with hooks around its tool calls. Hooks before a call run when the agent asks about it, so they cannot hold calls that
 * an agent runs without a question.
 */
export function hookedOutput(output: TurnOutput, hooks: ToolHooks): TurnOutput {
  return {
    markdown: (text) => output.markdown(text),
    reasoning: (text) => output.reasoning(text),
    ready: () => output.ready(),
    notify: (content) => output.notify(content),
    usage: (usage) => output.usage(usage),
    activity: (text) => output.activity(text),
    toolCall: (start) => new HookedToolCall(output.toolCall(start), start, hooks),
    clientTool: (call, withdrawn) => around(call, hooks, () => output.clientTool(call, withdrawn)),
    hostTool: (call, withdrawn) =>
      around({ ...call, toolName: call.name }, hooks, () => output.hostTool(call, withdrawn)),
    ask: (request, withdrawn) => output.ask(request, withdrawn),
    fileEdit: (change) => output.fileEdit(change),
    spawnChat: (worker) => output.spawnChat(worker),
  };
}

const denied = (reason: string): ToolCallResult => ({
  success: false,
  pastTenseMessage: 'A hook has denied the call',
  error: { message: `A hook has denied the call: ${reason}` },
});

async function around(
  { toolName, toolInput }: { readonly toolName: string; readonly toolInput: string },
  hooks: ToolHooks,
  run: () => Promise<ToolCallResult>,
): Promise<ToolCallResult> {
  const reason = await hooks.before({ toolName, toolInput });
  if (reason !== undefined) return denied(reason);
  const result = await run();
  await hooks.after({ toolName, toolInput, result });
  return result;
}

/** A tool call with hooks around it. */
class HookedToolCall implements ToolCallHandle {
  readonly #call: ToolCallHandle;
  readonly #start: ToolCallStart;
  readonly #hooks: ToolHooks;
  #input = '';
  #isDone = false;

  constructor(call: ToolCallHandle, start: ToolCallStart, hooks: ToolHooks) {
    this.#call = call;
    this.#start = start;
    this.#hooks = hooks;
  }

  get id(): string {
    return this.#call.id;
  }

  input: ToolCallHandle['input'] = (delta, message) => this.#call.input(delta, message);
  content: ToolCallHandle['content'] = (content) => this.#call.content(content);
  signIn: ToolCallHandle['signIn'] = (auth) => this.#call.signIn(auth);

  async confirm(question: ToolCallQuestion): Promise<ToolCallAnswer> {
    const { toolName } = this.#start;
    this.#input = question.toolInput ?? '';
    const reason = await this.#hooks.before({ toolName, toolInput: this.#input });
    if (reason === undefined) {
      const answer = await this.#call.confirm(question);
      if (answer.approved) this.#input = answer.toolInput ?? this.#input;
      else this.#isDone = true;
      return answer;
    }
    this.#isDone = true;
    this.#call.run(question);
    const result = denied(reason);
    await this.#call.complete(result);
    return { approved: false, reason: 'denied', by: 'hook', message: result.error?.message ?? reason };
  }

  run: ToolCallHandle['run'] = (ready) => {
    this.#input = ready.toolInput ?? this.#input;
    this.#call.run(ready);
  };

  complete: ToolCallHandle['complete'] = async (result, options) => {
    const answer = await this.#call.complete(result, options);
    if (this.#isDone) return answer;
    this.#isDone = true;
    await this.#hooks.after({ toolName: this.#start.toolName, toolInput: this.#input, result });
    return answer;
  };
}
