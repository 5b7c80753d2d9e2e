import type { ApprovalProps } from './approval-props.ts';
import { CallApproval } from './call-approval.tsx';
import { ResultApproval } from './result-approval.tsx';

/** Asks whether a tool call may run, or whether the agent may see its result. */
export function ApprovalPanel({ toolCall, ...rest }: ApprovalProps) {
  const key = `${toolCall.toolCallId} ${toolCall.status}`;
  return toolCall.status === 'pending-confirmation' ? (
    <CallApproval key={key} toolCall={toolCall} {...rest} />
  ) : (
    <ResultApproval key={key} toolCall={toolCall} {...rest} />
  );
}
