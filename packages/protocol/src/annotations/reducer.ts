import type { StateAction } from '../wire/envelope.ts';
import { indexOfId, type Patch, patch, withItem, withoutItem } from '../wire/patch.ts';
import type { AnnotationsAction, AnnotationsUpdatedAction } from './actions.ts';
import type { Annotation, AnnotationsState } from './state.ts';

/** Reduces one action of an annotations channel [ANN-1]. Returns `state` itself when nothing changes. */
export function annotationsReducer(state: AnnotationsState, action: StateAction): AnnotationsState {
  switch (action.type) {
    case 'annotations/set': {
      const index = indexOfId(state.annotations, action.annotation.id);
      return patch(state, { annotations: withItem(state.annotations, index, action.annotation) });
    }
    case 'annotations/removed': {
      const index = indexOfId(state.annotations, action.annotationId);
      return index < 0 ? state : patch(state, { annotations: withoutItem(state.annotations, index) });
    }
    case 'annotations/updated':
      return change(state, action.annotationId, (annotation) => patch(annotation, givenFields(action)));
    case 'annotations/entrySet':
      return change(state, action.annotationId, (annotation) => {
        const index = indexOfId(annotation.entries, action.entry.id);
        return patch(annotation, { entries: withItem(annotation.entries, index, action.entry) });
      });
    case 'annotations/entryRemoved':
      return change(state, action.annotationId, (annotation) => {
        const index = indexOfId(annotation.entries, action.entryId);
        if (index < 0) return annotation;
        return patch(annotation, { entries: withoutItem(annotation.entries, index) });
      });
    default:
      action satisfies Exclude<StateAction, AnnotationsAction>;
      return state;
  }
}

function change(
  state: AnnotationsState,
  id: string,
  next: (annotation: Annotation) => Annotation,
): AnnotationsState {
  const index = indexOfId(state.annotations, id);
  const annotation = state.annotations[index];
  if (!annotation) return state;
  return patch(state, { annotations: withItem(state.annotations, index, next(annotation)) });
}

// Absent fields stay. A range can only be removed by `annotations/set`.
function givenFields(action: AnnotationsUpdatedAction): Patch<Annotation> {
  const { origin, resource, range, resolved } = action;
  return {
    ...(origin !== undefined && { origin }),
    ...(resource !== undefined && { resource }),
    ...(range !== undefined && { range }),
    ...(resolved !== undefined && { resolved }),
  };
}
