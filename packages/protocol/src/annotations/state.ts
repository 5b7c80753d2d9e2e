import type { AgentAuthor, Author } from '../chat/author.ts';
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
  /**
   * Extension, written by the host: the annotated lines when the annotation was made or moved. Absent: the annotation has no range, the host
   * cannot read the lines, or its author may not see them.
   */
  'x-anchor'?: AnnotationAnchor;
  /** Extension, written by the host: the file no longer has the annotated lines. Absent: it has them, or the host does not know. */
  'x-outdated'?: true;
}

/** Annotated lines with their surroundings, by which the host finds the lines again after changes of the file. */
export interface AnnotationAnchor {
  /** The whole lines of the range, without the last line break. */
  quote: string;
  /** Up to three lines in front, long ones cut. */
  linesBefore: string[];
  /** Up to three lines behind, long ones cut. */
  linesAfter: string[];
  /** Number of places that had these lines. Absent: one. */
  copies?: number;
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
  /** Extension, written by the host: the client or the agent that wrote the present text. Absent: the host itself. */
  'x-by'?: Author | AgentAuthor;
}

/** Number of annotations of a session, for lists. */
export interface AnnotationsSummary {
  /** The annotations channel. */
  resource: URI;
  annotationCount: number;
  /** Entries of all annotations. */
  entryCount: number;
}
