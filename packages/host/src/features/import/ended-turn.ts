import {
  type ActiveTurn,
  chatReducer,
  type ExportedTerminal,
  type ResponsePart,
  SessionStatus,
  type TerminalState,
  type ToolCallState,
  type ToolResultContent,
  type ToolResultTerminalContent,
  type Turn,
} from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { lastBytes, plainText } from '../../turns/command/terminal-text.ts';

/** Maximum bytes of a terminal's output that an import keeps. */
const MAX_BYTES = 64 * 1024;

/** A turn that was active when it was exported, as an ended turn. */
export function endOpenTurn(turn: ActiveTurn, now: number): Turn | undefined {
  const chat = { resource: '', title: '', status: SessionStatus.InProgress, modifiedAt: '' };
  const error = {
    errorType: 'exportedWhileRunning',
    message: 'This turn was still running when its session was exported',
  };
  const startedAt = Date.parse(turn.startedAt);
  const duration = Number.isNaN(startedAt) ? 0 : Math.max(0, now - startedAt);
  return chatReducer(
    { ...chat, turns: [], activeTurn: turn },
    { type: 'chat/error', turnId: turn.id, duration, part: { kind: 'error', error } },
  ).turns[0];
}

/** A turn that cannot be resumed: the agent of the new session did not begin it [CHAT-22]. */
export function notResumable(turn: Turn): Turn {
  const isResumable = (part: ResponsePart): boolean => part.kind === 'error' && part.resumable === true;
  if (!turn.responseParts.some(isResumable)) return turn;
  const responseParts = turn.responseParts.map((part): ResponsePart => {
    if (part.kind !== 'error') return part;
    const { resumable: _, ...rest } = part;
    return rest;
  });
  return { ...turn, responseParts };
}

/** Why a turn cannot be an ended one; `undefined` if it can. */
export function findOpenCall({ responseParts }: Turn): string | undefined {
  const calls = responseParts.flatMap((part) => (part.kind === 'toolCall' ? [part.toolCall] : []));
  const open = calls.find(({ status }) => status !== 'completed' && status !== 'cancelled');
  return open && `tool call ${open.toolCallId} is ${open.status}`;
}

/** The blocks of a turn that show a terminal, in order. */
export const terminalBlocks = ({ responseParts }: Turn): ToolResultTerminalContent[] =>
  responseParts
    .flatMap((part) => (part.kind === 'toolCall' && 'content' in part.toolCall ? part.toolCall : []))
    .flatMap(({ content = [] }) => content)
    .filter((block) => block.type === 'terminal');

/**
 * The state of an exported terminal, which has ended for the importing host. Without an export of it, its output is what the block has of
 * it.
 */
export function endedTerminal(
  { title, result, isPty }: ToolResultTerminalContent,
  exported: ExportedTerminal | undefined,
): Omit<TerminalState, 'claim'> {
  const exitCode = exported?.exitCode ?? result?.exitCode;
  const text = lastBytes(exported?.text ?? (result?.preview ?? '').replaceAll('\n', '\r\n'), MAX_BYTES);
  return {
    title: exported?.title ?? title,
    content: text === '' ? [] : [{ type: 'unclassified', value: text }],
    lifecycle: { status: 'exited', ...defined({ exitCode }) },
    ...defined({ isPty }),
  };
}

/** A turn whose commands have ended: the blocks of terminals have the end of the output as their result [CHAT-37]. */
export function withResults(turn: Turn, terminals: readonly ExportedTerminal[]): Turn {
  return { ...turn, responseParts: turn.responseParts.map((part) => settled(part, terminals)) };
}

function settled(part: ResponsePart, terminals: readonly ExportedTerminal[]): ResponsePart {
  if (part.kind !== 'toolCall') return part;
  const { toolCall } = part;
  if (!('content' in toolCall) || toolCall.content === undefined) return part;
  const content = toolCall.content.map((block) => settledBlock(block, terminals));
  const ended: ToolCallState = { ...toolCall, content };
  return { ...part, toolCall: ended };
}

function settledBlock(block: ToolResultContent, terminals: readonly ExportedTerminal[]): ToolResultContent {
  if (block.type !== 'terminal' || block.result !== undefined) return block;
  const terminal = terminals.find(({ resource }) => resource === block.resource);
  const text = plainText(terminal?.text ?? '');
  const preview = lastBytes(text, MAX_BYTES);
  const truncated = preview.length < text.length;
  return { ...block, result: { ...defined({ exitCode: terminal?.exitCode }), preview, truncated } };
}
