import type { StringOrMarkdown, TextRange, URI, WithMeta } from '../wire/basics.ts';

/** All annotations of a session. */
export interface AnnotationsState {
  annotations: Annotation[];
}

/** A conversation about a file, or a part of it, as a turn left it [ANN-1]. */
export interface Annotation extends WithMeta {
  /** Given by the client that makes it. */
  id: string;
  /** The turn whose version of the file is meant. */
  turnId: string;
  /** The file. */
  resource: URI;
  /** Absent: the whole file. */
  range?: TextRange;
  /** False to begin with. */
  resolved: boolean;
  /** Oldest first, never empty. */
  entries: AnnotationEntry[];
}

/** One contribution to an annotation. */
export interface AnnotationEntry extends WithMeta {
  /** Given by the client that writes it; unique in its annotation. */
  id: string;
  text: StringOrMarkdown;
}

/** How much there is on a session's annotations channel, for lists. */
export interface AnnotationsSummary {
  /** The annotations channel. */
  resource: URI;
  annotationCount: number;
  /** Over all annotations. */
  entryCount: number;
}
