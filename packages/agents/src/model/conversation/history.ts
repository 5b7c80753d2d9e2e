import { type ResponsePart, type ToolCallState, type Turn, textOf } from '@agenthost/protocol';
import type { ModelMessage } from 'ai';
import { isObject } from '../../acp/json.ts';
import { attachmentLine } from '../../attachments/attachment-line.ts';
import { cutMiddle, MAX_RESULT_LENGTH } from '../tools/tool.ts';

/**
 * The messages of a chat's completed turns, for a model. Takes the newest turns that fit into `maxLength` UTF-16 code units, and at least
 * the newest one.
 */
export function messagesOfTurns(turns: readonly Turn[], maxLength: number): ModelMessage[] {
  const kept: ModelMessage[][] = [];
  let length = 0;
  for (const turn of turns.toReversed()) {
    const messages = messagesOfTurn(turn);
    length += JSON.stringify(messages).length;
    if (length > maxLength && kept.length > 0) break;
    kept.unshift(messages);
  }
  return kept.flat();
}

function messagesOfTurn({ message, responseParts, state }: Turn): ModelMessage[] {
  const attached = attachmentLine(message);
  const text = attached === undefined ? message.text : `${message.text}\n${attached}`;
  const messages: ModelMessage[] = [{ role: 'user', content: text === '' ? '(no text)' : text }];
  for (const part of responseParts) messages.push(...messagesOfPart(part));
  if (state === 'cancelled') messages.push({ role: 'user', content: '(The user stopped the answer here.)' });
  return messages;
}

function messagesOfPart(part: ResponsePart): ModelMessage[] {
  switch (part.kind) {
    case 'markdown':
      return part.content.trim() === '' ? [] : [{ role: 'assistant', content: part.content }];
    case 'toolCall':
      return messagesOfCall(part.toolCall);
    case 'systemNotification': {
      const text = part['x-steering']?.message.text;
      return text === undefined ? [] : [{ role: 'user', content: text }];
    }
    default:
      // Reasoning is of no use to a later turn, and its signatures are not kept.
      return [];
  }
}

function messagesOfCall(call: ToolCallState): ModelMessage[] {
  const { toolCallId, toolName } = call;
  return [
    {
      role: 'assistant',
      content: [{ type: 'tool-call', toolCallId, toolName, input: inputOf(call) }],
    },
    {
      role: 'tool',
      content: [
        {
          type: 'tool-result',
          toolCallId,
          toolName,
          output: { type: 'text', value: cutMiddle(resultOf(call), MAX_RESULT_LENGTH) },
        },
      ],
    },
  ];
}

/** APIs accept objects only. */
function inputOf(call: ToolCallState): Record<string, unknown> {
  const input = 'toolInput' in call ? call.toolInput : undefined;
  const text = typeof input === 'object' ? input['x-beginning'] : input;
  if (text === undefined) return {};
  try {
    const parsed: unknown = JSON.parse(text);
    if (isObject(parsed)) return parsed;
  } catch {
    // A command of a person, or an input that is not completely in the state.
  }
  return { input: text };
}

function resultOf(call: ToolCallState): string {
  const content = 'content' in call ? (call.content ?? []) : [];
  const texts = content.flatMap((block) => {
    if (block.type === 'text') return [block.text];
    if (block.type !== 'terminal' || block.result === undefined) return [];
    return [`${block.result.preview ?? ''}\n(exit code ${block.result.exitCode ?? 'unknown'})`];
  });
  if (texts.length > 0) return texts.join('\n');
  if (call.status === 'cancelled') {
    const said =
      'reasonMessage' in call && call.reasonMessage !== undefined ? textOf(call.reasonMessage) : '';
    return `The call was not run. ${said}`.trim();
  }
  if (call.status !== 'completed') return 'The call was interrupted.';
  const error = call.error?.message;
  return error === undefined ? textOf(call.pastTenseMessage) : `Failed: ${error}`;
}
