import {
  commandResult,
  type Message,
  type ResponsePart,
  type TextPosition,
  type ToolCallState,
  type Turn,
} from '@agenthost/protocol';
import { lastBytes } from './terminal-text.ts';

/** First character of a message that the host runs as a terminal command [CHAT-17]. */
export const COMMAND_PREFIX = '!';
/** `toolName` of the tool call that shows such a command. */
export const COMMAND_TOOL = 'terminal';

/** Maximum bytes of a command's output that an agent gets. The end of the output is kept. */
const CONTEXT_BYTES = 16 * 1024;
/** Maximum number of commands that are reported to an agent in one turn. The latest are kept. */
const CONTEXT_COMMANDS = 16;

/**
 * The command in a user's message [CHAT-17]; '' if nothing follows the prefix. `undefined` for messages to
 * the agent, including those with text, a space or a backslash before the prefix.
 */
export function commandOf({ text, origin }: Message): string | undefined {
  return origin.kind === 'user' && text.startsWith(COMMAND_PREFIX)
    ? text.slice(COMMAND_PREFIX.length).trim()
    : undefined;
}

/**
 * A message as the agent gets it: without the backslash that escapes the prefix. Positions after the
 * backslash move by one.
 */
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
 * Descriptions for the agent of the commands that were run in a chat since the agent's last turn, oldest
 * first [CHAT-17]. Uses only stored turns, so that a restart changes nothing.
 */
export const commandContext = (turns: readonly Turn[]): string[] =>
  unheardCommands(turns).found.map(({ turn, call }) => describe(turn, call));

/** Whether turns before these could not add to the command context. */
export const isWholeContext = (turns: readonly Turn[]): boolean => unheardCommands(turns).isWhole;

/**
 * The commands that have to be reported to an agent, oldest first, and whether earlier turns could not add to
 * them.
 */
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

/**
 * The tool call of a turn that ran a command. Messages that look like commands but went to an agent have
 * none.
 */
function commandCall(turn: Turn): ToolCallState | undefined {
  if (commandOf(turn.message) === undefined) return undefined;
  return turn.responseParts.find(isCommandPart)?.toolCall;
}

const isCommandPart = (part: ResponsePart): part is Extract<ResponsePart, { kind: 'toolCall' }> =>
  part.kind === 'toolCall' && part.toolCall.toolName === COMMAND_TOOL;

/**
 * Whether the agent has received this turn. A turn that failed without output may never have reached the
 * agent.
 */
const hasHeard = ({ state, message, responseParts }: Turn): boolean =>
  responseParts.some(({ kind }) => kind !== 'systemNotification' && kind !== 'error') ||
  // A prefix without a command is not a turn of the agent.
  (state === 'complete' && commandOf(message) === undefined);

function describe(turn: Turn, call: ToolCallState): string {
  const result = 'content' in call ? call.content : undefined;
  const ended = commandResult(result);
  const preview = ended?.preview ?? '';
  const output = lastBytes(preview, CONTEXT_BYTES);
  const isTruncated = ended?.truncated === true || output.length < preview.length;
  return [
    'The user ran a command in a terminal beside this conversation. This message is for your information and needs no answer.',
    `Command: ${commandOf(turn.message) ?? ''}`,
    `Outcome: ${outcome(call, ended?.exitCode)}`,
    output.trim() === ''
      ? 'Output: none'
      : `Output${isTruncated ? ' (the end of it)' : ''}:\n${output.trimEnd()}`,
  ].join('\n');
}

function outcome(call: ToolCallState, exitCode: number | undefined): string {
  if (call.status !== 'completed') return 'ended early; its output was not kept';
  return exitCode === undefined ? 'still running in the background' : `exit code ${exitCode}`;
}
