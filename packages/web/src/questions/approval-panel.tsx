import type { ToolCallConfirmationState } from '@agenthost/protocol';
import type { HostLink } from '../live/host-link.ts';
import { CallApproval } from './call-approval.tsx';
import type { QuestionTarget } from './question-target.ts';
import { ResultApproval } from './result-approval.tsx';

/** Props of a panel that approves or denies a tool call, or its result. */
export interface ApprovalProps<T extends ToolCallConfirmationState = ToolCallConfirmationState> {
  readonly link: HostLink;
  readonly target: QuestionTarget;
  readonly toolCall: T;
  readonly turnId: string;
  /** False: the question is shown without answers. */
  readonly mayAct: boolean;
  /** The panel stands in a card, which has a frame. Default false. */
  readonly isNested?: boolean;
}

/** Asks whether a tool call may run, or whether the agent may see its result. */
export function ApprovalPanel({ toolCall, ...rest }: ApprovalProps) {
  const key = `${toolCall.toolCallId} ${toolCall.status}`;
  return toolCall.status === 'pending-confirmation' ? (
    <CallApproval key={key} toolCall={toolCall} {...rest} />
  ) : (
    <ResultApproval key={key} toolCall={toolCall} {...rest} />
  );
}
