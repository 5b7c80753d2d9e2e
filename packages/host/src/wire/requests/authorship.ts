import type { AnnotationEntry, Author, StateAction } from '@agenthost/protocol';

/** The actions that name the client that dispatched them. */
const SIGNED = [
  'chat/turnStarted',
  'chat/turnCancelled',
  'chat/pendingMessageSet',
  'chat/pendingMessageRemoved',
  'chat/inputCompleted',
  'chat/toolCallConfirmed',
  'chat/toolCallResultConfirmed',
] as const satisfies readonly StateAction['type'][];

type Signed = Extract<StateAction, { type: (typeof SIGNED)[number] }>;

const isSigned = (action: StateAction): action is Signed => SIGNED.some((type) => type === action.type);

/** An action as a client sent it, without the fields `x-by` of the action and of its annotation entries, which only the host writes. */
export function withoutAuthor(action: unknown): unknown {
  if (typeof action !== 'object' || action === null) return action;
  const unsigned = withoutSignature(action);
  if ('entry' in unsigned) return { ...unsigned, entry: withoutSignature(unsigned.entry) };
  if (!('annotation' in unsigned)) return unsigned;
  const { annotation } = unsigned;
  if (typeof annotation !== 'object' || annotation === null || !('entries' in annotation)) return unsigned;
  const { entries } = annotation;
  if (!Array.isArray(entries)) return unsigned;
  return { ...unsigned, annotation: { ...annotation, entries: entries.map(withoutSignature) } };
}

function withoutSignature<T>(value: T): T;
function withoutSignature(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('x-by' in value)) return value;
  const { 'x-by': _, ...rest } = value;
  return rest;
}

/** The action with its author, if it is an answer, a message or an annotation of a person. */
export function withAuthor(action: StateAction, author: Author): StateAction {
  const signed = (entry: AnnotationEntry): AnnotationEntry => ({ ...entry, 'x-by': author });
  switch (action.type) {
    case 'annotations/entrySet':
      return { ...action, entry: signed(action.entry) };
    case 'annotations/set': {
      const { annotation } = action;
      return { ...action, annotation: { ...annotation, entries: annotation.entries.map(signed) } };
    }
    default:
      return isSigned(action) ? { ...action, 'x-by': author } : action;
  }
}
