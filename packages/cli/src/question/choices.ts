import type { ConfirmationOption, ToolCallConfirmationState } from '@agenthost/protocol';
import { oneLine } from '../render/plain-text.ts';

/** One answer that can be given to a tool call that waits. */
export interface Choice {
  readonly label: string;
  readonly isApproval: boolean;
  /** Absent: a plain yes or no. */
  readonly optionId?: string;
}

/** The answers to choose from, in the order in which they are numbered. */
export function choicesFor(toolCall: ToolCallConfirmationState): Choice[] {
  const options = toolCall.status === 'pending-confirmation' ? (toolCall.options ?? []) : [];
  const choices = options.map(
    ({ id, label, kind }): Choice => ({
      label: oneLine(label),
      isApproval: kind === 'approve',
      optionId: id,
    }),
  );
  // There is always a way to say no, and to say yes where the agent left it open.
  if (options.length === 0) choices.push({ label: 'yes', isApproval: true });
  if (!choices.some(({ isApproval }) => !isApproval)) choices.push({ label: 'no', isApproval: false });
  return choices;
}

/** What somebody typed, as one of the choices: its number, or `y` or `n` for the first of that kind. */
export function chosen(text: string, choices: readonly Choice[]): Choice | undefined {
  const typed = text.trim().toLowerCase();
  if (/^\d+$/.test(typed)) return choices[Number(typed) - 1];
  if (typed === 'y' || typed === 'yes') return choices.find(({ isApproval }) => isApproval);
  if (typed === 'n' || typed === 'no') return choices.find(({ isApproval }) => !isApproval);
  return undefined;
}

/** The words in which agents offer a yes that holds for more than this once. */
const lasting =
  /\b(?:always|every|session|turn|forever|remember|permanent(?:ly)?|auto\w*|all|don'?t ask|never ask)\b/i;

/** Whether an option allows more than the one call. */
const isLasting = ({ id, label }: ConfirmationOption): boolean =>
  lasting.test(label) || /always|session|forever/i.test(id);

/**
 * Whether a yes without naming an option holds for this call alone: agents then take the option that allows once. When
 * every yes on offer is a lasting one, there is no such thing.
 */
export function canAllowOnce(toolCall: ToolCallConfirmationState): boolean {
  if (toolCall.status !== 'pending-confirmation') return true;
  const approvals = (toolCall.options ?? []).filter(({ kind }) => kind === 'approve');
  return approvals.length === 0 || approvals.some((option) => !isLasting(option));
}
