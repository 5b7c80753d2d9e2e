import type { Message, ResponsePart, TextPosition, ToolCallState, Turn } from '@agenthost/protocol';
import { lastBytes } from './terminal-text.ts';

/** What a message starts with that the host runs as a terminal command [CHAT-17]. */
export const COMMAND_PREFIX = '!';
/** `toolName` of the tool call that shows such a command. */
export const COMMAND_TOOL = 'terminal';

/** How much output of one command an agent is told, in bytes; the end of it. */
const CONTEXT_BYTES = 16 * 1024;
/** How many commands an agent is told of in one turn; the latest. */
const CONTEXT_COMMANDS = 16;

/**
 * The command that a person's message is [CHAT-17], blank when nothing follows the prefix; `undefined` for messages to the agent, those
 * with something before the prefix (a blank, a backslash) among them.
 */
export function commandOf({ text, origin }: Message): string | undefined {
  return origin.kind === 'user' && text.startsWith(COMMAND_PREFIX)
    ? text.slice(COMMAND_PREFIX.length).trim()
    : undefined;
}

/** A message as the agent gets it: without the backslash that kept it from being a command. What stands behind that moves up. */
export function messageForAgent(message: Message): Message {
  if (!message.text.startsWith(`\\${COMMAND_PREFIX}`)) return message;
  const text = message.text.slice(1);
  if (message.attachments === undefined) return { ...message, text };
  const attachments = message.attachments.map((attachment) => {
    const { range } = attachment;
    if (range === undefined) return attachment;
    return { ...attachment, range: { start: movedUp(range.start), end: movedUp(range.end) } };
  });
  return { ...message, text, attachments };
}

const movedUp = ({ line, character }: TextPosition): TextPosition => ({
  line,
  character: line === 0 ? Math.max(0, character - 1) : character,
});

/**
 * The commands that were run in a chat since its agent last had a turn, and what they printed, in words for the agent, oldest first
 * [CHAT-17]. Only from what is kept of the turns, so that a restart changes nothing.
 */
export const commandContext = (turns: readonly Turn[]): string[] =>
  unheardCommands(turns).found.map(({ turn, call }) => describe(turn, call));

/** Whether turns before these would add nothing to that. */
export const isWholeContext = (turns: readonly Turn[]): boolean => unheardCommands(turns).isWhole;

/** The commands of which an agent has to be told, oldest first, and whether turns before these could not add to them. */
function unheardCommands(turns: readonly Turn[]): {
  found: { turn: Turn; call: ToolCallState }[];
  isWhole: boolean;
} {
  const found: { turn: Turn; call: ToolCallState }[] = [];
  for (const turn of turns.toReversed()) {
    const call = commandCall(turn);
    if (call === undefined && hasHeard(turn)) return { found, isWhole: true };
    if (call !== undefined) found.unshift({ turn, call });
    if (found.length === CONTEXT_COMMANDS) return { found, isWhole: true };
  }
  return { found, isWhole: false };
}

/** The tool call of a turn that was a command; messages like one that went to an agent have none. */
function commandCall(turn: Turn): ToolCallState | undefined {
  if (commandOf(turn.message) === undefined) return undefined;
  return turn.responseParts.find(isCommandPart)?.toolCall;
}

const isCommandPart = (part: ResponsePart): part is Extract<ResponsePart, { kind: 'toolCall' }> =>
  part.kind === 'toolCall' && part.toolCall.toolName === COMMAND_TOOL;

/** Whether the agent has had this turn: one that failed before it said anything may never have come to it. */
const hasHeard = ({ state, message, responseParts }: Turn): boolean =>
  responseParts.some(({ kind }) => kind !== 'systemNotification') ||
  // A prefix with nothing behind it was no turn of the agent's.
  (state === 'complete' && commandOf(message) === undefined);

function describe(turn: Turn, call: ToolCallState): string {
  const result = 'content' in call ? call.content : undefined;
  const ended = result?.find((block) => block.type === 'terminalComplete');
  const preview = ended?.preview ?? '';
  const output = lastBytes(preview, CONTEXT_BYTES);
  const isTruncated = ended?.truncated === true || output.length < preview.length;
  return [
    'The user ran a command in a terminal beside this conversation. It is told for your information and asks nothing of you.',
    `Command: ${commandOf(turn.message) ?? ''}`,
    `Outcome: ${outcome(call, ended?.exitCode)}`,
    output.trim() === ''
      ? 'Output: none'
      : `Output${isTruncated ? ' (the end of it)' : ''}:\n${output.trimEnd()}`,
  ].join('\n');
}

function outcome(call: ToolCallState, exitCode: number | undefined): string {
  if (call.status !== 'completed') return 'ended early; what it printed was not kept';
  return exitCode === undefined ? 'still running in the background' : `exit code ${exitCode}`;
}
