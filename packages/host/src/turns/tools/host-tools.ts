import type { ToolCallResult, ToolDefinition } from '@agenthost/protocol';
import { errorText } from '@agenthost/protocol/values';
import type { HostTool, HostToolCall, ToolCallHandle, ToolCallStart } from '../../agents/tool-call.ts';
import type { InputQuestions, InputResponse } from '../../agents/turn.ts';
import { failure } from './client-tool.ts';

/** The turn that calls a tool of the host. */
export interface ToolTurn {
  readonly chat: string;
  readonly session: string;
  /** Aborts when the turn has ended. */
  readonly over: AbortSignal;
  toolCall(start: ToolCallStart): ToolCallHandle;
  ask(request: InputQuestions, withdrawn?: AbortSignal): Promise<InputResponse>;
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

/** Tools that differ between sessions, such as those of MCP servers. */
export interface ToolSource {
  /** The tools of a session now. Their names differ from those of other sources and of the host's own tools. */
  list(session: string): readonly HostTool[];
  /** Runs a call of a listed tool: shows it, and asks people if needed. Never rejects. */
  run(turn: ToolTurn, call: HostToolCall, withdrawn: AbortSignal | undefined): Promise<ToolCallResult>;
}

interface Offer {
  readonly tools: readonly RunnableTool[];
  isOffered(): boolean;
}

/** The tools that features offer to agents. Nobody is asked about calls of the host's own ones, which change no files. */
export class HostTools {
  readonly #offers: Offer[] = [];
  readonly #sources: ToolSource[] = [];

  /** Offers tools to the agents of all sessions while `isOffered` returns true. Their names are unique. */
  add(tools: readonly RunnableTool[], isOffered: () => boolean): void {
    this.#offers.push({ tools, isOffered });
  }

  /** Adds tools that differ between sessions. */
  addSource(source: ToolSource): void {
    this.#sources.push(source);
  }

  get #present(): readonly RunnableTool[] {
    return this.#offers.flatMap(({ tools, isOffered }) => (isOffered() ? tools : []));
  }

  /** The tools that agents of a session get now. */
  list(session: string): readonly HostTool[] {
    return [
      ...this.#present.map(({ definition }) => ({ name: definition.name, definition })),
      ...this.#sources.flatMap((source) => source.list(session)),
    ];
  }

  /** The names that tools of clients must not have in a session now. */
  names(session: string): readonly string[] {
    return this.list(session).map(({ name }) => name);
  }

  /** Implements `TurnOutput.hostTool`. */
  async run(turn: ToolTurn, call: HostToolCall, withdrawn?: AbortSignal): Promise<ToolCallResult> {
    if (turn.over.aborted) return failure('turnEnded', 'The turn has ended');
    const source = this.#sources.find((each) =>
      each.list(turn.session).some(({ name }) => name === call.name),
    );
    if (source !== undefined) return source.run(turn, call, withdrawn);
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
  const input = inputObject(toolInput);
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

/** The input of a call; `undefined` for anything but a JSON object. */
export function inputObject(toolInput: string): Record<string, unknown> | undefined {
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
