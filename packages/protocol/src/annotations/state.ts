import type { StringOrMarkdown, TextRange, URI, WithMeta } from '../wire/basics.ts';

/** All annotations of a session. */
export interface AnnotationsState {
  annotations: Annotation[];
}

/** A conversation about a file or a part of it, in the version that a turn left [ANN-1]. */
export interface Annotation extends WithMeta {
  /** Chosen by the client that creates the annotation. */
  id: string;
  /** The turn whose version of the file is annotated. */
  turnId: string;
  /** URI of the file. */
  resource: URI;
  /** Absent: the whole file. */
  range?: TextRange;
  /** Initially false. */
  resolved: boolean;
  /** Oldest first, never empty. */
  entries: AnnotationEntry[];
}

/** One entry of an annotation. */
export interface AnnotationEntry extends WithMeta {
  /** Chosen by the client that writes the entry; unique in its annotation. */
  id: string;
  text: StringOrMarkdown;
}

/** Number of annotations of a session, for lists. */
export interface AnnotationsSummary {
  /** The annotations channel. */
  resource: URI;
  annotationCount: number;
  /** Entries of all annotations. */
  entryCount: number;
}
