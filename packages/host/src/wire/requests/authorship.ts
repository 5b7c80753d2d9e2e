import type { Author, StateAction } from '@agenthost/protocol';

/** The actions that name the client that dispatched them. */
const SIGNED: ReadonlySet<StateAction['type']> = new Set([
  'chat/turnStarted',
  'chat/pendingMessageSet',
  'chat/inputCompleted',
  'chat/toolCallConfirmed',
  'chat/toolCallResultConfirmed',
]);

/** An action as a client sent it, without the field `x-by`, which only the host writes. */
export function withoutAuthor(action: unknown): unknown {
  if (typeof action !== 'object' || action === null || !('x-by' in action)) return action;
  const { 'x-by': _, ...rest } = action;
  return rest;
}

/** The action with its author, if it is an answer or a message of a person. */
export const withAuthor = <A extends StateAction>(action: A, author: Author): A =>
  SIGNED.has(action.type) ? { ...action, 'x-by': author } : action;
