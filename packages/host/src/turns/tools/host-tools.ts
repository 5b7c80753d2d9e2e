import type { ToolCallResult, ToolDefinition } from '@agenthost/protocol';
import { errorText } from '@agenthost/protocol/values';
import type { HostTool, HostToolCall, ToolCallHandle, ToolCallStart } from '../../agents/tool-call.ts';
import { failure } from './client-tool.ts';

/** The turn that calls a tool of the host. */
interface RunningTurn {
  readonly chat: string;
  readonly session: string;
  /** Aborts when the turn has ended. */
  readonly over: AbortSignal;
  toolCall(start: ToolCallStart): ToolCallHandle;
}

/** What a tool of the host has done: a text for the model, and a sentence for people. Or the reason why it did nothing, for both. */
export type HostToolAnswer = { readonly text: string; readonly done: string } | { readonly problem: string };

/** The chat whose agent calls a tool. */
export interface ToolCaller {
  readonly chat: string;
  readonly session: string;
}

/** A tool of the host with the code that runs it. */
export interface RunnableTool {
  readonly definition: ToolDefinition & { readonly title: string };
  /** Runs a call. `input` is any JSON object. */
  run(input: Readonly<Record<string, unknown>>, caller: ToolCaller): Promise<HostToolAnswer>;
}

interface Offer {
  readonly tools: readonly RunnableTool[];
  isOffered(): boolean;
}

/** The tools that features offer to agents. They change no files, so nobody is asked about their calls. */
export class HostTools {
  readonly #offers: Offer[] = [];

  /** Offers tools to the agents of all sessions while `isOffered` returns true. Their names are unique. */
  add(tools: readonly RunnableTool[], isOffered: () => boolean): void {
    this.#offers.push({ tools, isOffered });
  }

  get #present(): readonly RunnableTool[] {
    return this.#offers.flatMap(({ tools, isOffered }) => (isOffered() ? tools : []));
  }

  /** The tools that agents get now. */
  list(): readonly HostTool[] {
    return this.#present.map(({ definition }) => ({ name: definition.name, definition }));
  }

  /** The names that tools of clients must not have now. */
  get names(): readonly string[] {
    return this.list().map(({ name }) => name);
  }

  /** Implements `TurnOutput.hostTool`. */
  async run(turn: RunningTurn, call: HostToolCall): Promise<ToolCallResult> {
    if (turn.over.aborted) return failure('turnEnded', 'The turn has ended');
    const tool = this.#present.find(({ definition }) => definition.name === call.name);
    const title = tool?.definition.title ?? call.name;
    const handle = turn.toolCall({
      ...(call.toolCallId === undefined ? {} : { toolCallId: call.toolCallId }),
      toolName: call.name,
      displayName: title,
      kind: tool?.definition.annotations?.readOnlyHint === true ? 'read' : 'other',
    });
    handle.run({ invocationMessage: title, toolInput: call.toolInput });
    const result =
      tool === undefined
        ? failure('notOffered', `The host offers no tool ${call.name}`)
        : await resultOf(tool, call.toolInput, turn);
    await handle.complete(result);
    return result;
  }
}

async function resultOf(tool: RunnableTool, toolInput: string, caller: ToolCaller): Promise<ToolCallResult> {
  const input = parsed(toolInput);
  if (input === undefined) return failure('badInput', 'The input must be a JSON object');
  try {
    const answer = await tool.run(input, { chat: caller.chat, session: caller.session });
    if ('problem' in answer) return failure('refused', answer.problem);
    return {
      success: true,
      pastTenseMessage: answer.done,
      content: [{ type: 'text', text: answer.text }],
    };
  } catch (error) {
    return failure('hostError', errorText(error));
  }
}

function parsed(toolInput: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(toolInput);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value))
      : undefined;
  } catch {
    // No JSON: the caller tells the agent.
    return undefined;
  }
}
