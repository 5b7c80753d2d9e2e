import {
  type Annotation,
  type AnnotationAnchor,
  type AnnotationsAction,
  type AnnotationsState,
  CHANNEL_LIMITS,
  findById,
  weightOf,
} from '@agenthost/protocol';
import { type Rejection, reject, rejectSize } from '../../handler-port/channel-module.ts';
import type { Channel } from '../../sync/channel.ts';

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

/**
 * Why a person with nothing but a role in the session may not put an annotation at its place; `undefined`: the person may. The file has to be in a
 * working directory of the session, as `file:` URIs say it.
 */
export function checkPlace(
  { annotations }: AnnotationsState,
  action: AnnotationsAction,
  directories: readonly string[],
): Rejection | undefined {
  const resource = placeIn(action);
  if (resource === undefined) return undefined;
  const id = action.type === 'annotations/set' ? action.annotation.id : action.annotationId;
  if (findById(annotations, id)?.resource === resource) return undefined;
  const { href } = URL.parse(resource) ?? {};
  const isInside = directories.some((each) => href?.startsWith(each.endsWith('/') ? each : `${each}/`));
  return isInside
    ? undefined
    : reject('permissionDenied', 'a comment on a file outside of the session takes a token for the host');
}

function placeIn(action: AnnotationsAction): string | undefined {
  if (action.type === 'annotations/set') return action.annotation.resource;
  return action.type === 'annotations/updated' ? action.resource : undefined;
}

const checkOrigin = (origin: Annotation['origin'], session: string): Rejection | undefined =>
  origin.session === session
    ? undefined
    : reject('otherSession', `origin.session: expected ${session}, got ${origin.session}`);

/** Sizes of annotations and anchors. They are never changed in place, so each is measured once. */
const weights = new WeakMap<Annotation | AnnotationAnchor, number>();

function knownWeightOf(part: Annotation | AnnotationAnchor): number {
  const weight = weights.get(part) ?? weightOf(part);
  weights.set(part, weight);
  return weight;
}

/**
 * Why an annotation has no room; `undefined` if it has. All annotations are part of the state that each client gets. `hidden`: its anchor, if
 * clients must not see it.
 */
export function checkRoom(
  { state, hostData }: Channel<'annotations'>,
  next: Annotation,
  hidden: AnnotationAnchor | undefined,
): Rejection | undefined {
  const { annotations: count, annotationsLength } = CHANNEL_LIMITS;
  const others = state.annotations.filter(({ id }) => id !== next.id);
  if (others.length >= count.max)
    return reject('tooManyAnnotations', `At most ${count.max} annotations in a session; remove some first`);
  const anchors = (hostData.hiddenAnchors ?? []).filter(({ id }) => id !== next.id);
  const parts = [...others, ...anchors.map(({ anchor }) => anchor), next, ...(hidden ? [hidden] : [])];
  const length = parts.reduce((sum, each) => sum + knownWeightOf(each), 0);
  return length > annotationsLength.max ? rejectSize('annotations', annotationsLength, length) : undefined;
}
