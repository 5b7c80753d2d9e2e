import {
  commandResult,
  errorOf,
  type Message,
  type ResponsePart,
  type ToolCallState,
  type Turn,
  textOf,
} from '@agenthost/protocol';
import { attachmentLine } from '../../attachments/attachment-line.ts';

/** Longest record of a chat for an agent that has lost it, in UTF-16 code units. */
export const MAX_PRIMING_LENGTH = 48 * 1024;

/** Longest single part, so that a long answer does not displace all others. */
const MAX_PART_LENGTH = 6 * 1024;

/** Longest list of a message's attachments. */
const MAX_ATTACHED_LENGTH = 2 * 1024;

/** Longest end of a command's output, in UTF-16 code units. */
const MAX_PRINTED_LENGTH = 2 * 1024;
/** Name of the tool call with which the host shows a person's command. */
const COMMAND_TOOL = 'terminal';

const PREFACE =
  'This conversation began earlier; you no longer have it yourself. Below is a record of it, in the order it happened, ' +
  'possibly shortened. Take it as context and answer only the message that follows it.';

/**
 * A short record of a chat for the first prompt of an agent that cannot resume its session: the newest turns
 * that fit, oldest first. `undefined` when there is nothing to record.
 */
export function primingText(turns: readonly Turn[]): string | undefined {
  const kept: string[] = [];
  let length = 0;
  for (const turn of turns.toReversed()) {
    const text = turnText(turn);
    length += text.length;
    if (length > MAX_PRIMING_LENGTH && kept.length > 0) break;
    kept.unshift(cut(text, MAX_PRIMING_LENGTH));
  }
  if (kept.length === 0) return undefined;
  return `${PREFACE}\n\n<conversation>\n${kept.join('\n\n')}\n</conversation>`;
}

function turnText(turn: Turn): string {
  const lines = [`User: ${said(turn.message)}`];
  for (const part of turn.responseParts) {
    const text = partText(part);
    if (text !== undefined) lines.push(text);
  }
  if (turn.state !== 'complete')
    lines.push(`(The turn ended early: ${errorOf(turn)?.message ?? turn.state}.)`);
  return lines.join('\n');
}

function partText(part: ResponsePart): string | undefined {
  switch (part.kind) {
    case 'markdown':
      return part.content === '' ? undefined : `You: ${cut(part.content, MAX_PART_LENGTH)}`;
    case 'toolCall': {
      const { status, displayName, invocationMessage } = part.toolCall;
      const what = invocationMessage === undefined ? '' : `: ${cut(textOf(invocationMessage), 500)}`;
      return `(Tool ${displayName}${what}, ${status})${printed(part.toolCall)}`;
    }
    case 'systemNotification': {
      const message = part['x-steering']?.message;
      return message === undefined ? undefined : `User, while you worked: ${said(message)}`;
    }
    default:
      // Reasoning and references are useless to another session.
      return undefined;
  }
}

/**
 * The end of the output of a command that a person ran in the chat [CHAT-17]. Output of an agent's own tools
 * is left out.
 */
function printed(call: ToolCallState): string {
  if (call.toolName !== COMMAND_TOOL || !('content' in call)) return '';
  const preview = commandResult(call.content)?.preview ?? '';
  return preview.trim() === '' ? '' : `\n${preview.trimEnd().slice(-MAX_PRINTED_LENGTH)}`;
}

/** A message with the names of its attachments. */
function said(message: Message): string {
  const attached = attachmentLine(message);
  return `${cut(message.text, MAX_PART_LENGTH)}${attached === undefined ? '' : `\n${cut(attached, MAX_ATTACHED_LENGTH)}`}`;
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length)} …`;
}
