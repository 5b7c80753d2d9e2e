import type { ToolCallConfirmationState } from '@agenthost/protocol';
import type { HostLink } from '../live/host-link.ts';
import type { QuestionTarget } from './question-target.ts';

/** Props of a panel that approves or denies a tool call, or its result. */
export interface ApprovalProps<T extends ToolCallConfirmationState = ToolCallConfirmationState> {
  readonly link: HostLink;
  readonly target: QuestionTarget;
  readonly toolCall: T;
  readonly turnId: string;
  /** False: the question is shown without answers. */
  readonly mayAct: boolean;
  /** The panel is inside a card, which has a frame. Default false. */
  readonly isNested?: boolean;
}
