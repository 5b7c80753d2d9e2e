import { sessionOfAnnotations } from '../../wire/uris.ts';
import { isObject, type Json, type Look, listOf, without } from '../reshape.ts';
import type { Reshaping } from '../step.ts';

/** An annotation named the turn that it belongs to, and neither its session nor its chat. */
export const annotationOrigins: Reshaping = {
  down: {
    shapes: { Annotation: (annotation) => turnOf(annotation) },
    actions: { 'annotations/updated': (action) => (isObject(action.origin) ? turnOf(action) : action) },
  },
  up: {
    shapes: { Annotation: (annotation, look) => originOf(annotation, annotation.id, look) },
    actions: { 'annotations/updated': (action, look) => originOf(action, action.annotationId, look) },
  },
};

/** `''`: no turn. The field was required. */
function turnOf(value: Json): Json {
  const { origin } = value;
  const turnId = isObject(origin) ? origin.turnId : undefined;
  return { ...without(value, 'origin'), turnId: typeof turnId === 'string' ? turnId : '' };
}

/** A client that sends the turn it was shown means the origin that is stored: it may name more than the turn. */
function originOf(value: Json, id: unknown, { before, channel = '' }: Look): Json {
  const { turnId } = value;
  if (typeof turnId !== 'string' || Object.hasOwn(value, 'origin')) return value;
  const annotations = isObject(before) ? listOf(before.annotations).filter(isObject) : [];
  const stored = annotations.find((annotation) => annotation.id === id);
  const origin =
    stored !== undefined && isObject(stored.origin) && turnOf(stored).turnId === turnId
      ? stored.origin
      : { session: sessionOfAnnotations(channel) ?? '', ...(turnId === '' ? {} : { turnId }) };
  return { ...without(value, 'turnId'), origin };
}
