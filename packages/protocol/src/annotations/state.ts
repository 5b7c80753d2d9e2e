import type { StringOrMarkdown, TextRange, URI } from '../common/types.ts';

export interface Annotation {
  id: string;
  turnId: string;
  resource: URI;
  range?: TextRange;
  resolved: boolean;
  entries: AnnotationEntry[];
  _meta?: Record<string, unknown>;
}

export interface AnnotationEntry {
  id: string;
  text: StringOrMarkdown;
  _meta?: Record<string, unknown>;
}

export interface AnnotationsState {
  annotations: Annotation[];
}

export interface AnnotationsSummary {
  resource: URI;
  annotationCount: number;
  entryCount: number;
}
