import type { TextRange, URI } from '../wire/basics.ts';
import type { Annotation, AnnotationEntry, AnnotationOrigin } from './state.ts';

/** Every action of an annotations channel. */
export type AnnotationsAction =
  | AnnotationsEntryRemovedAction
  | AnnotationsEntrySetAction
  | AnnotationsRemovedAction
  | AnnotationsSetAction
  | AnnotationsUpdatedAction;

/** Removes one entry. Rejected for the last entry, because an annotation is never empty [ANN-1]. */
export interface AnnotationsEntryRemovedAction {
  type: 'annotations/entryRemoved';
  annotationId: string;
  entryId: string;
}

/** Adds an entry to a known annotation, or replaces the entry with the same id [ANN-1]. */
export interface AnnotationsEntrySetAction {
  type: 'annotations/entrySet';
  annotationId: string;
  entry: AnnotationEntry;
}

/** Removes an annotation with its entries. */
export interface AnnotationsRemovedAction {
  type: 'annotations/removed';
  annotationId: string;
}

/** Adds an annotation, or replaces the one with the same id, including its entries [ANN-1]. */
export interface AnnotationsSetAction {
  type: 'annotations/set';
  annotation: Annotation;
}

/**
 * Changes fields of an annotation. Absent fields stay, so a range cannot be removed by this action [ANN-1].
 */
export interface AnnotationsUpdatedAction {
  type: 'annotations/updated';
  annotationId: string;
  /** Replaces the origin as a whole [ANN-20]. */
  origin?: AnnotationOrigin;
  resource?: URI;
  range?: TextRange;
  resolved?: boolean;
}
