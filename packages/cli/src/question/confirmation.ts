import {
  type ConfirmationOption,
  offeredOptions,
  type TokenScope,
  type ToolCallConfirmationState,
} from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import type { LineReader } from '../process/line-reader.ts';
import { oneLine } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';
import { sentence, toolCallDetails, toolCallTitle } from '../render/tool-call.ts';

/** A tool call that waits, with the answers that the user may give. */
export type AskedToolCall = ToolCallConfirmationState & {
  /** True: the host refuses every approval of the user, and accepts a denial. */
  readonly isDenyOnly?: true;
};

/** One answer that can be given to a tool call that waits. */
export interface Choice {
  readonly label: string;
  readonly isApproval: boolean;
  /** Absent: a plain yes or no. */
  readonly optionId?: string;
}

const PLAIN_YES: Choice = { label: 'yes', isApproval: true };
const PLAIN_NO: Choice = { label: 'no', isApproval: false };

/**
 * The answers to choose from, in the order in which they are numbered. The first is what somebody gives who presses Enter before they have read: a
 * yes to this call alone, or a no where every yes is a lasting one.
 */
export function choicesFor(toolCall: AskedToolCall): Choice[] {
  const given = toolCall.status === 'pending-confirmation' ? (toolCall.options ?? []) : [];
  const approvals = given.filter(({ kind }) => kind === 'approve');
  const denials = given.filter(({ kind }) => kind !== 'approve');
  const once = approvals.filter((option) => !isLasting(option));
  const lastingApprovals = approvals.filter(isLasting);
  const options =
    once.length > 0 ? [...once, ...lastingApprovals, ...denials] : [...denials, ...lastingApprovals];
  const choices = options.map(
    ({ id, label, kind }): Choice => ({
      label: oneLine(label),
      isApproval: kind === 'approve',
      optionId: id,
    }),
  );
  // Adds a plain yes or no that the agent did not offer.
  if (options.length === 0 && toolCall.isDenyOnly !== true) choices.push(PLAIN_YES);
  if (choices.some(({ isApproval }) => !isApproval)) return choices;
  return once.length > 0 || options.length === 0 ? [...choices, PLAIN_NO] : [PLAIN_NO, ...choices];
}

/** The tool call with the answers that a token with this scope may give. */
export function withinScope(
  toolCall: ToolCallConfirmationState,
  scope: TokenScope | undefined,
): AskedToolCall {
  if (toolCall.status !== 'pending-confirmation') return toolCall;
  const { options, canApprove } = offeredOptions(toolCall.options, scope);
  if (options === toolCall.options) return toolCall;
  return { ...toolCall, ...defined({ options }), ...(!canApprove && { isDenyOnly: true as const }) };
}

/** Says why there is no approval among the choices. */
export const DENY_ONLY =
  'each approval also covers later calls, which requires the scope interact on the host; you can deny';

const YES_WORDS: ReadonlySet<string> = new Set(['a', 'approve', 'y', 'yes']);
const NO_WORDS: ReadonlySet<string> = new Set(['d', 'deny', 'n', 'no']);

/** Explains the letter keys. There is no plain yes if every approval offered is lasting. */
export const keysText = (toolCall: AskedToolCall): string =>
  canAllowOnce(toolCall) ? 'a or y: yes, once; d or n: no' : 'd or n: no';

/**
 * What somebody typed, as an answer: the number of a choice, `a` or `y`, `d` or `n`. The letters name no option, so that
 * they hold for this once; there is no such yes when every one on offer is a lasting one.
 */
export function chosen(text: string, toolCall: AskedToolCall): Choice | undefined {
  const typed = text.trim().toLowerCase();
  if (/^\d+$/.test(typed)) return choicesFor(toolCall)[Number(typed) - 1];
  if (YES_WORDS.has(typed) && canAllowOnce(toolCall)) return PLAIN_YES;
  return NO_WORDS.has(typed) ? PLAIN_NO : undefined;
}

/**
 * Words of agents for an approval that covers more than one call. Some agents declare such an option as one for a single call, for example
 * "Yes, and auto-accept edits".
 */
const LASTING_WORDS =
  /\b(?:always|every|session|turn|forever|remember(?:ed|s)?|permanent(?:ly)?|auto\w*|all|don'?t ask|never ask)\b/i;

/** Whether an option covers more than the one call: by the host's data, or by the agent's id and label. */
const isLasting = (option: ConfirmationOption): boolean =>
  option['x-lasting'] === true ||
  LASTING_WORDS.test(option.label) ||
  /always|session|forever/i.test(option.id);

/**
 * Whether a yes without naming an option holds for this call alone: agents then take the option that allows once. When
 * every yes on offer is a lasting one, there is no such thing.
 */
export function canAllowOnce(toolCall: AskedToolCall): boolean {
  if (toolCall.isDenyOnly === true) return false;
  if (toolCall.status !== 'pending-confirmation') return true;
  const approvals = (toolCall.options ?? []).filter(({ kind }) => kind === 'approve');
  return approvals.length === 0 || approvals.some((option) => !isLasting(option));
}

/** The heading of the question that a waiting tool call puts. */
export function questionTitle(toolCall: ToolCallConfirmationState): string {
  if (toolCall.status === 'pending-result-confirmation') {
    return `${oneLine(toolCall.displayName)}: may the agent see the result?`;
  }
  return sentence(toolCall.confirmationTitle) || `${toolCallTitle(toolCall)}?`;
}

/** Shows what a tool call is about to do. */
export function showQuestion(screen: Screen, toolCall: ToolCallConfirmationState): void {
  const { colors, marks } = screen;
  screen.note(`${colors.yellow(marks.asks)} ${colors.bold(questionTitle(toolCall))}`);
  for (const line of toolCallDetails(toolCall)) screen.note(`    ${line}`);
}

/** Shows the choices of a tool call by number, and why there is no approval among them. */
export function showToolCallChoices(screen: Screen, toolCall: AskedToolCall): void {
  showChoices(screen, choicesFor(toolCall));
  if (toolCall.isDenyOnly === true) screen.note(`    ${DENY_ONLY}`);
}

/** Shows the choices by number, one to a line. */
export function showChoices(screen: Screen, choices: readonly Choice[]): void {
  for (const [index, { label }] of choices.entries()) screen.note(`      ${index + 1}) ${label}`);
}

/** The numbers of the choices, for people. */
export const numbersText = (choices: readonly Choice[]): string =>
  choices.length === 1 ? 'the number 1' : `a number from 1 to ${choices.length}`;

/** Asks in the terminal until there is an answer; `undefined` when the signal aborts or input ends first. */
export async function askConfirmation(
  screen: Screen,
  reader: LineReader,
  toolCall: AskedToolCall,
  signal: AbortSignal,
): Promise<Choice | undefined> {
  if (signal.aborted) return undefined;
  const choices = choicesFor(toolCall);
  showQuestion(screen, toolCall);
  showToolCallChoices(screen, toolCall);
  for (;;) {
    screen.ask(`    ${keysText(toolCall)} > `);
    const line = await reader.next(signal);
    if (line === undefined) return undefined;
    screen.answered();
    const choice = chosen(line, toolCall);
    if (choice !== undefined) return choice;
    if (line.trim() !== '') screen.note(`    type ${numbersText(choices)}, or ${keysText(toolCall)}`);
  }
}
