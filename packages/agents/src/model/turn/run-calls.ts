import type { ToolCallHandle } from '@agenthost/host/agent';
import { errorText } from '@agenthost/protocol/values';
import type { FilePart, ModelMessage, ToolResultPart } from 'ai';
import { isObject } from '../../acp/json.ts';
import { Denied, type ModelTool, type ToolOutcome, type ToolRun } from '../tools/tool.ts';
import type { StepCall } from './step.ts';
import type { StreamedCalls } from './streamed-calls.ts';

/**
 * Where a model gets the images of results: in the result, or in a message after it, because OpenAI's chat completions have only text in
 * results. `nowhere`: it accepts none.
 */
export type ImagePlace = 'result' | 'message' | 'nowhere';

/** What the calls of one answer need. */
export interface CallsToRun {
  readonly calls: readonly StepCall[];
  readonly shown: StreamedCalls;
  readonly tools: ReadonlyMap<string, ModelTool>;
  /** Calls that may still run in this turn. */
  readonly leftCount: number;
  readonly images: ImagePlace;
  /** What the calls share. */
  readonly common: Omit<ToolRun, 'handle' | 'toolInput'>;
}

/**
 * Runs the calls of one answer at the same time. Resolves with the messages that have their results, in the order of the calls. Never rejects
 * because of a call: failures and denials are results for the model.
 */
export async function runCalls(run: CallsToRun): Promise<ModelMessage[]> {
  const outcomes = await Promise.all(run.calls.map((call, index) => runCall(run, call, index)));
  const content = run.calls.map(
    (call, index): ToolResultPart => ({
      type: 'tool-result',
      toolCallId: call.id,
      toolName: call.toolName,
      output: outputOf(outcomes[index] ?? { text: '' }, run.images),
    }),
  );
  const images = run.images === 'message' ? outcomes.flatMap(imagesOf) : [];
  const results: ModelMessage = { role: 'tool', content };
  if (images.length === 0) return [results];
  return [results, { role: 'user', content: [{ type: 'text', text: 'Images of the results:' }, ...images] }];
}

const imagesOf = ({ isError = false, images = [] }: ToolOutcome): FilePart[] =>
  isError ? [] : images.map(({ data, contentType }) => ({ type: 'file', data, mediaType: contentType }));

const IMAGE_NOTES = { message: '(an image, which follows)', nowhere: '(an image, which you cannot see)' };

function outputOf(
  { text, isError = false, images = [] }: ToolOutcome,
  place: ImagePlace,
): ToolResultPart['output'] {
  if (isError) return { type: 'error-text', value: text };
  if (images.length === 0) return { type: 'text', value: text };
  if (place !== 'result') {
    const notes = images.map(() => IMAGE_NOTES[place]);
    return { type: 'text', value: [...(text === '' ? [] : [text]), ...notes].join('\n') };
  }
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
  let isRunning = false;
  const take = (): ToolCallHandle =>
    (handle ??= watched(run.shown.take(call.id, call.toolName), () => {
      isRunning = true;
    }));
  const refuse = async (text: string): Promise<ToolOutcome> => {
    // A call must run before it can fail; one that runs keeps what it shows.
    if (!isRunning) take().run({ invocationMessage: call.toolName, toolInput });
    await take().complete({
      success: false,
      pastTenseMessage: `${call.toolName} failed`,
      content: [{ type: 'text', text }],
      error: { message: text.slice(0, 500) },
    });
    return { text, isError: true };
  };
  if (call.problem !== undefined || tool === undefined)
    return refuse(call.problem ?? `There is no tool ${call.toolName}`);
  if (!isObject(call.input)) return refuse('The input is not a JSON object');
  if (index >= run.leftCount) return refuse('Not run: the limit of tool calls in one turn is reached');
  try {
    const outcome = await tool.run(call.input, {
      ...run.common,
      toolInput,
      get handle() {
        return take();
      },
    });
    const rules = run.common.rules.textFor(outcome.paths ?? []);
    return rules === '' ? outcome : { ...outcome, text: `${outcome.text}\n\n${rules}` };
  } catch (error) {
    const text = errorText(error);
    // The host shows a denied call as such.
    if (error instanceof Denied || run.common.signal.aborted || tool.isShownByHost === true)
      return { text, isError: true };
    return refuse(text);
  }
}

/** A handle that reports when its call runs. */
const watched = (handle: ToolCallHandle, onRunning: () => void): ToolCallHandle => ({
  id: handle.id,
  input: (delta, message) => handle.input(delta, message),
  confirm: async (question) => {
    const answer = await handle.confirm(question);
    if (answer.approved) onRunning();
    return answer;
  },
  run: (ready) => {
    onRunning();
    handle.run(ready);
  },
  content: (content) => handle.content(content),
  signIn: (auth) => handle.signIn(auth),
  complete: (result, options) => handle.complete(result, options),
});
