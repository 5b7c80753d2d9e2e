import type { ClientAction, Message } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { asMessage } from './message-queue.ts';

/** Options of `approve`. */
export interface ApproveOptions {
  /** Id of one of the call's `options`. */
  optionId?: string;
  /** Replaces the input of an `editable` call. */
  editedToolInput?: string;
}

/** Options of `deny`. */
export interface DenyOptions {
  /** Id of one of the call's `options`. */
  optionId?: string;
  /** Reason for people and for the agent. */
  reasonMessage?: string;
  /** What the agent should do instead. */
  suggestion?: string | Message;
}

/** A tool call of a turn. */
interface CallPlace {
  readonly turnId: string;
  readonly toolCallId: string;
}

type Confirmed = Extract<ClientAction, { type: 'chat/toolCallConfirmed' }>;
type ResultConfirmed = Extract<ClientAction, { type: 'chat/toolCallResultConfirmed' }>;

/** Approves a pending tool call. */
export const approval = (
  { turnId, toolCallId }: CallPlace,
  { optionId, editedToolInput }: ApproveOptions = {},
): Confirmed => ({
  type: 'chat/toolCallConfirmed',
  turnId,
  toolCallId,
  approved: true,
  confirmed: 'user-action',
  ...defined({ selectedOptionId: optionId, editedToolInput }),
});

/** Denies a pending tool call. */
export const denial = (
  { turnId, toolCallId }: CallPlace,
  { optionId, reasonMessage, suggestion }: DenyOptions = {},
): Confirmed => ({
  type: 'chat/toolCallConfirmed',
  turnId,
  toolCallId,
  approved: false,
  reason: 'denied',
  ...defined({
    selectedOptionId: optionId,
    reasonMessage,
    userSuggestion: suggestion === undefined ? undefined : asMessage(suggestion),
  }),
});

/** Approves or denies that the agent sees the result of a tool call. */
export const resultAnswer = ({ turnId, toolCallId }: CallPlace, approved: boolean): ResultConfirmed => ({
  type: 'chat/toolCallResultConfirmed',
  turnId,
  toolCallId,
  approved,
});
