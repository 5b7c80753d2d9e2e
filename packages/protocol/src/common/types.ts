export interface BaseParams {
  channel: URI;
}

export interface ContentRef {
  uri: URI;
  sizeHint?: number;
  contentType?: string;
  nonce?: string;
}

export interface ErrorInfo {
  errorType: string;
  message: string;
  stack?: string;
  _meta?: Record<string, unknown>;
}

export interface Icon {
  src: URI;
  contentType?: string;
  sizes?: string[];
  theme?: 'light' | 'dark';
}

export interface PaginatedParams {
  limit?: number;
  cursor?: string;
}

export interface PaginatedResult {
  nextCursor?: string;
}

export interface SimpleMessageAttachment {
  label: string;
  range?: TextRange;
  displayKind?: string;
  _meta?: Record<string, unknown>;
  type: 'simple';
  modelRepresentation?: string;
}

export type StringOrMarkdown = string | { markdown: string };

export interface TextPosition {
  line: number;
  character: number;
}

export interface TextRange {
  start: TextPosition;
  end: TextPosition;
}

export type URI = string;
