import type { TextRange, URI } from '../common/types.ts';
import type { Annotation, AnnotationEntry } from './state.ts';

/** Every action of an annotations channel. */
export type AnnotationsAction =
  | AnnotationsEntryRemovedAction
  | AnnotationsEntrySetAction
  | AnnotationsRemovedAction
  | AnnotationsSetAction
  | AnnotationsUpdatedAction;

export interface AnnotationsEntryRemovedAction {
  type: 'annotations/entryRemoved';
  annotationId: string;
  entryId: string;
}

export interface AnnotationsEntrySetAction {
  type: 'annotations/entrySet';
  annotationId: string;
  entry: AnnotationEntry;
}

export interface AnnotationsRemovedAction {
  type: 'annotations/removed';
  annotationId: string;
}

export interface AnnotationsSetAction {
  type: 'annotations/set';
  annotation: Annotation;
}

export interface AnnotationsUpdatedAction {
  type: 'annotations/updated';
  annotationId: string;
  turnId?: string;
  resource?: URI;
  range?: TextRange;
  resolved?: boolean;
}
