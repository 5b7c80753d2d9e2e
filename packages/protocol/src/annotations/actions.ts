import type { TextRange, URI } from '../wire/basics.ts';
import type { Annotation, AnnotationEntry } from './state.ts';

/** Every action of an annotations channel. */
export type AnnotationsAction =
  | AnnotationsEntryRemovedAction
  | AnnotationsEntrySetAction
  | AnnotationsRemovedAction
  | AnnotationsSetAction
  | AnnotationsUpdatedAction;

/** Removes one entry; rejected for the last one, since an annotation is never empty [ANN-1]. */
export interface AnnotationsEntryRemovedAction {
  type: 'annotations/entryRemoved';
  annotationId: string;
  entryId: string;
}

/** Adds an entry to a known annotation, or replaces the one with its id [ANN-1]. */
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

/** Adds an annotation, or replaces the one with its id, entries included [ANN-1]. */
export interface AnnotationsSetAction {
  type: 'annotations/set';
  annotation: Annotation;
}

/** Changes an annotation's own fields; absent ones stay, so that a range cannot be taken away by it [ANN-1]. */
export interface AnnotationsUpdatedAction {
  type: 'annotations/updated';
  annotationId: string;
  turnId?: string;
  resource?: URI;
  range?: TextRange;
  resolved?: boolean;
}
