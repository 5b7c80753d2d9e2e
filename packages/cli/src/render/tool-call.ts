import { fileURLToPath } from 'node:url';
import {
  commandResult,
  type FileEdit,
  type StringOrMarkdown,
  type TerminalCommandResult,
  type ToolCallRiskAssessment,
  type ToolCallState,
  type ToolInput,
  textOf,
} from '@agenthost/protocol';
import { oneLine, plain } from './plain-text.ts';
import type { Screen } from './screen.ts';

/** How many lines of a tool's input are shown with a question. */
const MAX_INPUT_LINES = 12;

/** A sentence in plain text on one line; Markdown stays as it is written. */
export const sentence = (text: StringOrMarkdown | undefined): string =>
  oneLine(text === undefined ? '' : textOf(text));

/** Title of a tool call, one line. */
export function toolCallTitle(toolCall: ToolCallState): string {
  return sentence(toolCall.invocationMessage) || oneLine(toolCall.displayName) || oneLine(toolCall.toolName);
}

/** One line on where a tool call stands; nothing while its input is still coming. */
export function toolCallLine(toolCall: ToolCallState, { marks, colors }: Screen): string | undefined {
  const title = toolCallTitle(toolCall);
  switch (toolCall.status) {
    case 'running':
      return `${colors.cyan(marks.running)} ${title}`;
    case 'completed': {
      const done = sentence(toolCall.pastTenseMessage) || title;
      if (toolCall.success) return `${colors.green(marks.done)} ${done}${editCounts(toolCall)}`;
      const why = oneLine(toolCall.error?.message ?? '');
      // Some sentences have the reason already.
      return `${colors.red(marks.failed)} ${done.endsWith(why) ? done : `${done}: ${why}`}`;
    }
    case 'cancelled': {
      const reasons = { denied: 'denied', skipped: 'skipped', 'result-denied': 'result denied' } as const;
      const why = sentence(toolCall.reasonMessage);
      return `${colors.yellow(marks.refused)} ${title}: ${reasons[toolCall.reason]}${why === '' ? '' : ` (${why})`}`;
    }
    default:
      return undefined;
  }
}

/** How a person's own command ended [CHAT-17]; `undefined` for agents' commands, and for one that goes on. */
export function commandEnd(toolCall: ToolCallState): TerminalCommandResult | undefined {
  if (toolCall.status !== 'completed' || toolCall.toolName !== 'terminal') return undefined;
  return commandResult(toolCall.content);
}

/** Output of a user's own command, cut to its end, in whole lines. Output of agents' commands is left to their answers. */
export function commandOutput(toolCall: ToolCallState): string {
  const ended = commandEnd(toolCall);
  const text = plain(ended?.preview ?? '');
  if (text.trim() === '') return '';
  return `${ended?.truncated === true ? '[...]\n' : ''}${text.endsWith('\n') ? text : `${text}\n`}`;
}

function editCounts(toolCall: ToolCallState & { status: 'completed' }): string {
  const edits = (toolCall.content ?? []).filter((content) => content.type === 'fileEdit');
  const counts = edits.map(counted).filter((text) => text !== '');
  return counts.length === 0 ? '' : ` (${counts.join(', ')})`;
}

function counted({ diff }: FileEdit): string {
  if (diff === undefined) return '';
  return `+${diff.added ?? '?'} -${diff.removed ?? '?'}`;
}

/** A file's change as one line: what happens to it, and how many lines. */
export function editLine(edit: FileEdit): string {
  const { before, after } = edit;
  const counts = counted(edit);
  const suffix = counts === '' ? '' : `  ${counts}`;
  if (before === undefined && after !== undefined) return `create ${shownPath(after.uri)}${suffix}`;
  if (after === undefined) return `delete ${shownPath(before?.uri ?? '')}${suffix}`;
  if (before?.uri === after.uri) return `change ${shownPath(after.uri)}${suffix}`;
  return `move ${shownPath(before?.uri ?? '')} to ${shownPath(after.uri)}${suffix}`;
}

/** A `file:` URI as a path, any other as it is. */
export function shownPath(uri: string): string {
  if (!uri.startsWith('file:')) return oneLine(uri);
  try {
    return oneLine(fileURLToPath(uri), 1_000);
  } catch (error) {
    // A path of another system, or one that is no UTF-8: the URI says it as well.
    if (error instanceof TypeError || error instanceof URIError) return oneLine(uri);
    throw error;
  }
}

/** The input of a call as text; of a referenced one its beginning, size and address [CHAT-35]. */
export function inputText(input: ToolInput): string {
  if (typeof input === 'string') return input;
  const size = input.sizeHint === undefined ? '' : `${input.sizeHint} bytes of `;
  const where = `(${size}input at ${oneLine(input.uri, 1_000)})`;
  const beginning = input['x-beginning'] ?? '';
  return beginning === '' ? where : `${where}\n${beginning}\n[...]`;
}

/** A line about the risk of a call; `undefined`: nobody assesses it [CHAT-33]. */
function riskLine(risk: ToolCallRiskAssessment | undefined): string | undefined {
  if (risk === undefined) return undefined;
  if (risk.status === 'loading') return 'Risk: being assessed';
  return `Risk: safety ${Math.round(risk.safety * 100)} % (${oneLine(textOf(risk.reason), 500)})`;
}

/** Details of a pending or finished tool call: changed files, else its input or its result. */
export function toolCallDetails(toolCall: ToolCallState): string[] {
  const lines: string[] = [];
  const intention = oneLine(toolCall.intention ?? '');
  if (intention !== '') lines.push(intention);
  if (toolCall.status === 'pending-confirmation') {
    const risk = riskLine(toolCall.riskAssessment);
    if (risk !== undefined) lines.push(risk);
    const edits = toolCall.edits?.items ?? [];
    lines.push(...edits.map(editLine));
    if (edits.length === 0 && toolCall.toolInput !== undefined)
      lines.push(...cut(readable(inputText(toolCall.toolInput))));
  } else if (toolCall.status === 'pending-result-confirmation') {
    for (const content of toolCall.content ?? []) {
      if (content.type === 'text') lines.push(...cut(plain(content.text)));
      else if (content.type === 'fileEdit') lines.push(editLine(content));
    }
  }
  return lines;
}

/** JSON with a field a line where it is JSON. */
function readable(input: string): string {
  try {
    const value: unknown = JSON.parse(input);
    return plain(typeof value === 'string' ? value : JSON.stringify(value, undefined, 2));
  } catch (error) {
    if (error instanceof SyntaxError) return plain(input);
    throw error;
  }
}

function cut(text: string): string[] {
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => (line.length > 200 ? `${line.slice(0, 197)}...` : line));
  if (lines.length <= MAX_INPUT_LINES) return lines;
  // One more than fits leaves out two.
  return [...lines.slice(0, MAX_INPUT_LINES - 1), `... ${lines.length - MAX_INPUT_LINES + 1} more lines`];
}
