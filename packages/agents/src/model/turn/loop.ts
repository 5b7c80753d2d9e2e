import type { ToolSet } from 'ai';
import { keyHint } from '../config/keys.ts';
import type { ModelTool } from '../tools/tool.ts';
import { type Answered, askModel, TooLong } from './ask-model.ts';
import { compact, isNearlyFull } from './compaction.ts';
import { type Loop, requestOf } from './loop-parts.ts';
import { type ImagePlace, runCalls } from './run-calls.ts';
import { StreamedCalls } from './streamed-calls.ts';

/** Calls the model until it answers without calling a tool. Rejects with `AgentError`, or with the abort reason. */
export async function runLoop(loop: Loop): Promise<void> {
  const { conversation, usage, output, settings } = loop;
  let callCount = 0;
  for (;;) {
    loop.signal.throwIfAborted();
    if (isNearlyFull(loop)) await compact(loop);
    const tools = loop.tools();
    const leftCount = settings.maxToolCalls - callCount;
    const { step, calls } = await answerOf(loop, tools, leftCount > 0);
    usage.add(step.usage);
    output.usage(usage.value);
    conversation.cost = usage.cost;
    if (step.message !== undefined && hasContent(step.message)) {
      if (step.calls.length === 0) conversation.push(step.message);
      else {
        const results = await runCalls({
          calls: step.calls,
          shown: calls,
          tools,
          leftCount,
          images: imagePlaceOf(loop),
          common: loop.common,
        });
        // Both at once: APIs refuse a call without a result.
        conversation.push(step.message, ...results);
      }
    }
    loop.signal.throwIfAborted();
    callCount += step.calls.length;
    if (step.calls.length > 0 && callCount >= settings.maxToolCalls)
      output.notify(
        `The limit of ${settings.maxToolCalls} tool calls in one turn is reached. The model answers now. Send a message to continue.`,
      );
    const steered = await loop.steered();
    conversation.push(...steered);
    if (step.calls.length > 0 || steered.length > 0) continue;
    if (step.isCutShort) output.notify('The answer ended at the limit of the length of answers.');
    if (step.isFiltered) output.notify('A content filter of the API ended the answer.');
    if (loop.closeSteering()) return;
  }
}

const hasContent = ({ content }: { readonly content: string | readonly unknown[] }): boolean =>
  content.length > 0;

function imagePlaceOf({ modelInfo, config }: Loop): ImagePlace {
  if (modelInfo.images === false) return 'nowhere';
  return config.api === 'openai' ? 'message' : 'result';
}

/** An answer; a conversation that is too long is made shorter once. */
async function answerOf(
  loop: Loop,
  tools: ReadonlyMap<string, ModelTool>,
  takesTools: boolean,
): Promise<Answered> {
  const set = await toolSet(tools);
  const ask = (): Promise<Answered> =>
    askModel({
      conversation: loop.conversation,
      output: loop.output,
      timers: loop.timers,
      signal: loop.signal,
      key: loop.key,
      keyHint: keyHint(loop.config),
      request: () => requestOf(loop, set, takesTools),
      newCalls: () => new StreamedCalls(loop.output, tools),
    });
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof TooLong)) throw error;
    await compact(loop);
    return ask();
  }
}

/** The tools in the form of the library, which only parses their inputs. */
async function toolSet(tools: ReadonlyMap<string, ModelTool>): Promise<ToolSet> {
  const { jsonSchema, tool } = await import('ai');
  return Object.fromEntries(
    [...tools].map(([name, { description, inputSchema }]) => [
      name,
      tool({ description, inputSchema: jsonSchema(inputSchema) }),
    ]),
  );
}
