import type { ToolCallConfirmationState } from '@agenthost/protocol';
import type { LineReader } from '../process/line-reader.ts';
import { oneLine } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';
import { sentence, toolCallDetails, toolCallTitle } from '../render/tool-call.ts';
import { type Choice, choicesFor, chosen, keysText } from './choices.ts';

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
  toolCall: ToolCallConfirmationState,
  signal: AbortSignal,
): Promise<Choice | undefined> {
  if (signal.aborted) return undefined;
  const choices = choicesFor(toolCall);
  showQuestion(screen, toolCall);
  showChoices(screen, choices);
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
