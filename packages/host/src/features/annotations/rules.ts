import {
  type Annotation,
  type AnnotationsAction,
  type AnnotationsState,
  CHANNEL_LIMITS,
  findById,
  weightOf,
} from '@agenthost/protocol';
import { type Rejection, reject, rejectSize } from '../../handler-port/channel-module.ts';

/** Why a client may not dispatch an action; `undefined` if it may [ANN-1] [ANN-20]. `session`: the session of the channel. */
export function checkAnnotations(
  state: AnnotationsState,
  action: AnnotationsAction,
  session: string,
): Rejection | undefined {
  switch (action.type) {
    case 'annotations/set': {
      const { id, entries, origin } = action.annotation;
      if (entries.length === 0) return reject('emptyAnnotation', `Annotation ${id} has no entries`);
      return checkOrigin(origin, session);
    }
    case 'annotations/updated':
      return action.origin && checkOrigin(action.origin, session);
    case 'annotations/entryRemoved': {
      const { annotationId, entryId } = action;
      const [entry, ...others] = findById(state.annotations, annotationId)?.entries ?? [];
      return entry?.id === entryId && others.length === 0
        ? reject('lastEntry', `Entry ${entryId} is the only one of its annotation: remove the annotation`)
        : undefined;
    }
    default:
      return undefined;
  }
}

const checkOrigin = (origin: Annotation['origin'], session: string): Rejection | undefined =>
  origin.session === session
    ? undefined
    : reject('otherSession', `origin.session: expected ${session}, got ${origin.session}`);

/** Sizes of annotations. They are never changed in place, so each is measured once. */
const weights = new WeakMap<Annotation, number>();

function weightOfAnnotation(annotation: Annotation): number {
  const weight = weights.get(annotation) ?? weightOf(annotation);
  weights.set(annotation, weight);
  return weight;
}

/** Why an annotation has no room; `undefined` if it has. All annotations are part of the state that each client gets. */
export function checkRoom(state: AnnotationsState, next: Annotation): Rejection | undefined {
  const { annotations: count, annotationsLength } = CHANNEL_LIMITS;
  const others = state.annotations.filter(({ id }) => id !== next.id);
  if (others.length >= count.max)
    return reject('tooManyAnnotations', `At most ${count.max} annotations in a session; remove some first`);
  const length = others.reduce((sum, each) => sum + weightOfAnnotation(each), weightOfAnnotation(next));
  return length > annotationsLength.max ? rejectSize('annotations', annotationsLength, length) : undefined;
}
