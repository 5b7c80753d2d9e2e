import { type StringOrMarkdown, type ToolCallState, type ToolInput, textOf } from '@agenthost/protocol';
import { visibleText } from '../../text/visible-text.ts';

/** Characters of a header. */
const MAX_LENGTH = 300;

/** A message of a tool call on one line, without Markdown marks. */
export function oneLine(message: StringOrMarkdown): string {
  const content = textOf(message);
  const plain = typeof message === 'string' ? content : content.replaceAll(/[`*]/g, '');
  const line = plain.split('\n').find((each) => each.trim() !== '') ?? '';
  return visibleText(line.trim().slice(0, MAX_LENGTH));
}

/** What a call does or did, on one line. */
export function callTitle(toolCall: ToolCallState): string {
  const message =
    toolCall.status === 'completed' || toolCall.status === 'pending-result-confirmation'
      ? toolCall.pastTenseMessage
      : toolCall.invocationMessage;
  const title = message === undefined ? '' : oneLine(message);
  return title === '' ? visibleText(toolCall.displayName || toolCall.toolName) : title;
}

/** The input of a call as far as it is known: complete, or what has streamed in. */
export function inputTextOf(toolCall: ToolCallState): string | undefined {
  if (toolCall.status === 'streaming') return toolCall.partialInput;
  const { toolInput } = toolCall;
  return typeof toolInput === 'object' ? toolInput['x-beginning'] : toolInput;
}

/** The reference to an input that is too large for the state. */
export function inputRefOf(toolCall: ToolCallState): Exclude<ToolInput, string> | undefined {
  const toolInput = 'toolInput' in toolCall ? toolCall.toolInput : undefined;
  return typeof toolInput === 'object' ? toolInput : undefined;
}

/** The input as an object, when it is complete JSON of that form. */
export function inputObjectOf(toolCall: ToolCallState): Readonly<Record<string, unknown>> | undefined {
  const input = inputTextOf(toolCall);
  if (input === undefined || !input.trimStart().startsWith('{')) return undefined;
  try {
    const parsed: unknown = JSON.parse(input);
    return isObject(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The first of these fields of the input that is a text. */
export function inputField(toolCall: ToolCallState, names: readonly string[]): string | undefined {
  const input = inputObjectOf(toolCall);
  if (input === undefined) return undefined;
  for (const name of names) {
    const value = input[name];
    if (typeof value === 'string' && value !== '') return value;
    if (Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === 'string'))
      return value.join(' ');
  }
  return undefined;
}

/** The command line of a call that runs one. */
export function commandOf(toolCall: ToolCallState): string | undefined {
  return inputField(toolCall, ['command', 'cmd', 'commandLine', 'script']);
}

/** JSON with line breaks and indentation; other text stays. */
export function prettyInput(input: string): { readonly text: string; readonly isJson: boolean } {
  try {
    const parsed: unknown = JSON.parse(input);
    if (typeof parsed === 'object' && parsed !== null)
      return { text: JSON.stringify(parsed, undefined, 2), isJson: true };
  } catch {
    // Not JSON.
  }
  return { text: input, isJson: false };
}
