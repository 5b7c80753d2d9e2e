import type { ConfirmationOption } from '@agenthost/protocol';
import type { ToolCallStart } from '../../agents/tool-call.ts';
import type { TurnOutput } from '../../agents/turn.ts';

/** A question whether commands of others may run. */
export interface ConsentQuestion {
  /** The tool call that asks. */
  readonly call: ToolCallStart;
  /** Line about the call, with the names of what would run. Cut after 500 UTF-16 code units. */
  readonly invocationMessage: string;
  /** All that decides what would run, in lines. */
  readonly toolInput: string;
  readonly confirmationTitle: string;
  /** Label of the denial that lasts. */
  readonly refusal: string;
  /** Line about the call once it is allowed. */
  readonly allowed: string;
}

/** What a person has answered. `undefined`: the turn has ended first. */
export type ConsentAnswer = 'allow' | 'skip' | 'refuse' | undefined;

/** Asks a person for a lasting decision, as a tool call of a turn, whatever the session's approvals say. */
export async function askConsent(output: TurnOutput, question: ConsentQuestion): Promise<ConsentAnswer> {
  const { invocationMessage, toolInput, confirmationTitle, refusal } = question;
  const options: ConfirmationOption[] = [
    {
      id: 'allow',
      label: 'Allow, and do not ask again while they stay the same',
      kind: 'approve',
      group: 0,
      'x-lasting': true,
    },
    { id: 'skip', label: 'Not in this session', kind: 'deny', group: 1 },
    { id: 'refuse', label: refusal, kind: 'deny', group: 1, 'x-lasting': true },
  ];
  const call = output.toolCall(question.call);
  const answer = await call.confirm({
    invocationMessage: invocationMessage.slice(0, 500),
    toolInput,
    confirmationTitle,
    options,
    isAlwaysAsked: true,
  });
  if (answer.approved) {
    await call.complete({ success: true, pastTenseMessage: question.allowed });
    return 'allow';
  }
  if (answer.reason === 'skipped') return undefined;
  return answer.selectedOption?.id === 'refuse' ? 'refuse' : 'skip';
}
