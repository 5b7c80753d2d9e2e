import { AgentError } from '@agenthost/host/agent';
import type { ModelMessage } from 'ai';
import { Conversation } from '../conversation/conversation.ts';
import { askModel, TooLong } from './ask-model.ts';
import { type Loop, requestOf } from './loop-parts.ts';
import { StreamedCalls } from './streamed-calls.ts';

/** Context of models whose endpoint does not tell it, in tokens. */
const USUAL_WINDOW = 128_000;
/** Share of the context after which a conversation is compacted. */
const FULL_SHARE = 0.8;
/** A rough measure of text. */
const CHARACTERS_PER_TOKEN = 4;

const COMPACTING = 'Compacting the conversation';

const REQUEST = `The conversation is too long and will be replaced by your summary. Write it for yourself, so that you can go on without the rest:
- what the user wants, with all constraints and decisions, in the user's words where they matter
- what was done: files changed and how, commands run and their outcome, what was found out
- of the last request: what is done already, and what is left
- open questions and next steps
Write only the summary.`;

/** Characters of a conversation that fit into a part of a model's context. */
export const lengthOfShare = (contextWindow: number | undefined, share: number): number =>
  Math.floor((contextWindow ?? USUAL_WINDOW) * share * CHARACTERS_PER_TOKEN);

/** Whether the last call nearly filled the context of the model. */
export const isNearlyFull = ({ usage, modelInfo }: Loop): boolean =>
  usage.contextTokens > (modelInfo.contextWindow ?? USUAL_WINDOW) * FULL_SHARE;

/**
 * Replaces the conversation by a summary that the model writes. People see that it happens, and the summary. Rejects like a call of the
 * model.
 */
export async function compact(loop: Loop): Promise<void> {
  const { conversation, output, usage } = loop;
  output.activity(COMPACTING);
  const summary = await summarize(loop, conversation.messages);
  output.activity(undefined);
  if (summary.trim() === '') throw new AgentError('modelError', 'The model wrote an empty summary');
  conversation.compact(summary);
  loop.common.rules.forget();
  usage.compacted();
  output.usage(usage.value);
  output.notify({
    markdown: `The conversation was too long for the model and was compacted. From here on the model knows of it:\n\n${quoted(summary)}`,
  });
}

const quoted = (text: string): string => text.replaceAll(/^/gm, '> ');

async function summarize(loop: Loop, messages: readonly ModelMessage[]): Promise<string> {
  let kept = messages;
  for (;;) {
    const own = new Conversation(() => undefined, { earlier: kept });
    own.begin('summary', { role: 'user', content: REQUEST });
    let text = '';
    const request = { ...loop, conversation: own };
    try {
      const { step } = await askModel({
        conversation: own,
        // The text of the summary stays out of the answer.
        output: {
          markdown: async (delta) => {
            text += delta;
          },
          reasoning: async () => undefined,
          activity: (activity) => loop.output.activity(activity ?? COMPACTING),
        },
        timers: loop.timers,
        signal: loop.signal,
        key: loop.key,
        keyHint: '',
        request: () => ({ ...requestOf(request, {}, false), thinking: 'default' }),
        newCalls: () => new StreamedCalls(loop.output, new Map()),
      });
      loop.usage.add(step.usage);
      return text;
    } catch (error) {
      if (!(error instanceof TooLong) || kept.length < 2) throw asAgentError(error);
      // The older half is lost: better than a chat that cannot go on.
      kept = fromUserMessage(kept, Math.ceil(kept.length / 2));
    }
  }
}

const asAgentError = (error: unknown): unknown =>
  error instanceof TooLong ? new AgentError('contextTooLong', error.message, { cause: error }) : error;

/** The messages from an index on, starting with one of the user, because a result without its call is refused. */
function fromUserMessage(messages: readonly ModelMessage[], index: number): readonly ModelMessage[] {
  const start = messages.findIndex(({ role }, at) => at >= index && role === 'user');
  return start < 0 ? messages.slice(-1) : messages.slice(start);
}
