import { AgentError, type ModelRequest, type ModelRequestAnswer } from '@agenthost/host/agent';
import type { ModelMessage } from 'ai';
import { Conversation } from '../conversation/conversation.ts';
import { askModel } from './ask-model.ts';
import type { Loop } from './loop-parts.ts';
import { providerOptions } from './provider-options.ts';
import { StreamedCalls } from './streamed-calls.ts';

/**
 * Answers a request of a tool with the model of the turn, outside of its conversation and without tools. Its tokens are those of the turn.
 * Repeats failed calls like those of the turn. Rejects with `AgentError`, with `TooLong`, or with the abort reason.
 */
export async function answerRequest(
  loop: Loop,
  request: ModelRequest,
  withdrawn: AbortSignal,
): Promise<ModelRequestAnswer> {
  const { config, modelInfo, model, chat, timers, output, usage } = loop;
  if (modelInfo.images === false && request.messages.some(({ content }) => content.some(isImage)))
    throw new AgentError('modelError', `The model ${modelInfo.id} takes no pictures`);
  const signal = AbortSignal.any([loop.signal, withdrawn]);
  const conversation = new Conversation(() => undefined, { earlier: request.messages.map(messageOf) });
  const { maxOutput = request.maxTokens } = modelInfo;
  let text = '';
  const { step } = await askModel({
    conversation,
    output: {
      markdown: async (delta) => {
        text += delta;
      },
      reasoning: async () => undefined,
      activity: (activity) => output.activity(activity),
    },
    timers,
    signal,
    key: loop.key,
    keyHint: '',
    request: () => ({
      model,
      messages: conversation.messages,
      tools: {},
      takesTools: false,
      thinking: 'default',
      maxOutputTokens: Math.min(request.maxTokens, maxOutput),
      providerOptions: providerOptions(config.api, { chat, modelId: modelInfo.id, thinking: 'default' }),
      signal,
      timers,
      ...(request.system === undefined ? {} : { instructions: request.system }),
      ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
      ...(request.stopSequences === undefined ? {} : { stopSequences: [...request.stopSequences] }),
    }),
    newCalls: () => new StreamedCalls(output, new Map()),
  });
  usage.addAside(step.usage);
  output.usage(usage.value);
  return { text, model: modelInfo.id, isCutShort: step.isCutShort };
}

const isImage = ({ type }: ModelRequest['messages'][number]['content'][number]): boolean => type === 'image';

function messageOf({ role, content }: ModelRequest['messages'][number]): ModelMessage {
  if (role === 'assistant')
    return {
      role,
      content: content.flatMap((block) =>
        block.type === 'text' ? [{ type: 'text', text: block.text }] : [],
      ),
    };
  return {
    role,
    content: content.map((block) =>
      block.type === 'text'
        ? { type: 'text', text: block.text }
        : { type: 'file', data: block.data, mediaType: block.contentType },
    ),
  };
}
