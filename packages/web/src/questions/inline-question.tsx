import type { SessionInputRequest } from '@agenthost/protocol';
import type { HostLink } from '../live/host-link.ts';
import { ApprovalPanel } from './approval-panel.tsx';
import { QuestionForm } from './question-form.tsx';
import { useQuestionTarget } from './question-target.ts';
import { SignInPanel } from './sign-in-panel.tsx';

/** An open request of any chat of a session, with its answers. */
export function InlineQuestion({
  link,
  entry,
  mayAct,
  isNested = false,
}: {
  readonly link: HostLink;
  readonly entry: SessionInputRequest;
  readonly mayAct: boolean;
  /** The question is inside a card, which has a frame. Default false. */
  readonly isNested?: boolean;
}) {
  const target = useQuestionTarget(link, entry.chat);
  const common = { link, target, mayAct };
  switch (entry.kind) {
    case 'chatInput':
      return <QuestionForm {...common} request={entry.request} />;
    case 'toolConfirmation':
      return (
        <ApprovalPanel {...common} toolCall={entry.toolCall} turnId={entry.turnId} isNested={isNested} />
      );
    case 'toolAuthentication':
      return <SignInPanel {...common} toolCall={entry.toolCall} turnId={entry.turnId} isNested={isNested} />;
    case 'toolClientExecution':
      return null;
    default:
      return entry satisfies never;
  }
}
