import type { ToolCallConfirmationState } from '@agenthost/protocol';
import type { LineReader } from '../line-reader.ts';
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

/** The choices by number, on one line. */
export const choiceList = (choices: readonly Choice[]): string =>
  choices.map(({ label }, index) => `${index + 1}) ${label}`).join('   ');

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
  for (;;) {
    screen.ask(`    ${choiceList(choices)}   (${keysText(toolCall)}) > `);
    const line = await reader.next(signal);
    if (line === undefined) return undefined;
    screen.answered();
    const choice = chosen(line, toolCall);
    if (choice !== undefined) return choice;
    if (line.trim() !== '')
      screen.note(`    type a number from 1 to ${choices.length}, or ${keysText(toolCall)}`);
  }
}
