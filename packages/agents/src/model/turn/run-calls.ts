import type { ToolCallHandle } from '@agenthost/host/agent';
import { errorText } from '@agenthost/protocol/values';
import type { ModelMessage, ToolResultPart } from 'ai';
import { isObject } from '../../acp/json.ts';
import { Denied, type ModelTool, type ToolOutcome, type ToolRun } from '../tools/tool.ts';
import type { StepCall } from './step.ts';
import type { StreamedCalls } from './streamed-calls.ts';

/** What the calls of one answer need. */
export interface CallsToRun {
  readonly calls: readonly StepCall[];
  readonly shown: StreamedCalls;
  readonly tools: ReadonlyMap<string, ModelTool>;
  /** Calls that may still run in this turn. */
  readonly leftCount: number;
  /** What the calls share. */
  readonly common: Omit<ToolRun, 'handle' | 'toolInput'>;
}

/**
 * Runs the calls of one answer at the same time. Resolves with the message that has their results, in the order of the calls. Never rejects
 * because of a call: failures and denials are results for the model.
 */
export async function runCalls(run: CallsToRun): Promise<ModelMessage> {
  const content = await Promise.all(
    run.calls.map(async (call, index): Promise<ToolResultPart> => {
      const outcome = await runCall(run, call, index);
      return {
        type: 'tool-result',
        toolCallId: call.id,
        toolName: call.toolName,
        output: outputOf(outcome),
      };
    }),
  );
  return { role: 'tool', content };
}

function outputOf({ text, isError = false, images = [] }: ToolOutcome): ToolResultPart['output'] {
  if (isError) return { type: 'error-text', value: text };
  if (images.length === 0) return { type: 'text', value: text };
  return {
    type: 'content',
    value: [
      ...(text === '' ? [] : [{ type: 'text' as const, text }]),
      ...images.map(({ data, contentType }) => ({
        type: 'file' as const,
        data: { type: 'data' as const, data },
        mediaType: contentType,
      })),
    ],
  };
}

async function runCall(run: CallsToRun, call: StepCall, index: number): Promise<ToolOutcome> {
  const tool = run.tools.get(call.toolName);
  const toolInput = JSON.stringify(call.input) ?? '{}';
  let handle: ToolCallHandle | undefined;
  const take = (): ToolCallHandle => (handle ??= run.shown.take(call.id, call.toolName));
  const refuse = async (text: string): Promise<ToolOutcome> => {
    await fail(take(), { call, toolInput, text });
    return { text, isError: true };
  };
  if (call.problem !== undefined || tool === undefined)
    return refuse(call.problem ?? `There is no tool ${call.toolName}`);
  if (!isObject(call.input)) return refuse('The input is not a JSON object');
  if (index >= run.leftCount) return refuse('Not run: the limit of tool calls in one turn is reached');
  try {
    return await tool.run(call.input, {
      ...run.common,
      toolInput,
      get handle() {
        return take();
      },
    });
  } catch (error) {
    const text = errorText(error);
    // The host shows a denied call as such.
    if (error instanceof Denied || run.common.signal.aborted || tool.isShownByHost === true)
      return { text, isError: true };
    return refuse(text);
  }
}

async function fail(
  handle: ToolCallHandle,
  { call, toolInput, text }: { call: StepCall; toolInput: string; text: string },
): Promise<void> {
  // A call must run before it can fail; one that runs keeps what it shows.
  handle.run({ invocationMessage: call.toolName, toolInput });
  await handle.complete({
    success: false,
    pastTenseMessage: `${call.toolName} failed`,
    content: [{ type: 'text', text }],
    error: { message: text.slice(0, 500) },
  });
}
