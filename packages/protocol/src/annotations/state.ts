import type { StringOrMarkdown, TextRange, URI, WithMeta } from '../wire/basics.ts';

/** All annotations of a session. */
export interface AnnotationsState {
  annotations: Annotation[];
}

/** A conversation about a file or a part of it, in the version that its origin names [ANN-1]. */
export interface Annotation extends WithMeta {
  /** Chosen by the client that creates the annotation. */
  id: string;
  origin: AnnotationOrigin;
  /** URI of the file. */
  resource: URI;
  /** Absent: the whole file. */
  range?: TextRange;
  /** Initially false. */
  resolved: boolean;
  /** Oldest first, never empty. */
  entries: AnnotationEntry[];
}

/** Where an annotation was made [ANN-20]. */
export interface AnnotationOrigin {
  /** The session of the channel. */
  session: URI;
  /** Absent: the session as a whole. */
  chat?: URI;
  /** The turn of the chat whose version of the file is annotated. Absent: the present version. */
  turnId?: string;
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
