/** An absolute URI. URIs of channels are opaque: they are compared as strings and never parsed. */
export type URI = string;

/**
 * A whole number from 0 to 2^53 − 1: what a counter, an offset or an amount asked for can be.
 * @asType integer
 * @minimum 0
 * @maximum 9007199254740991
 */
export type Count = number;

/** The members of every notification: the channel that it concerns [WIRE-2]. */
export interface NotificationParams {
  channel: URI;
}

/** The members of every request: its channel, and private data of its sender [WIRE-20]. */
export interface BaseParams extends NotificationParams, WithMeta {}

/** Params of a method of the connection itself; `channel` is the root channel [WIRE-2]. */
export interface ConnectionParams extends BaseParams {
  channel: 'ahp-root://';
}

/** An empty result: an object without fields. */
export type EmptyResult = Record<string, unknown>;

/** A place for private data of a producer and its consumers. */
export interface WithMeta {
  /** Carried and stored unchanged; never interpreted by the host or by reducers. */
  _meta?: Record<string, unknown>;
}

/** Content that is too large for the state. `resourceRead` returns the bytes. */
export interface ContentRef {
  uri: URI;
  /** Approximate size in bytes. */
  sizeHint?: number;
  /** Media type. Absent: unknown. */
  contentType?: string;
  /** Changes with the content behind the same URI. */
  nonce?: string;
}

/** An error that is part of the state. */
export interface ErrorInfo extends WithMeta {
  /** For programs: one of the host's error types or one of the agent's [CHAT-5]. */
  errorType: string;
  /** For people. */
  message: string;
  stack?: string;
}

/** A picture for a user interface. */
export interface Icon {
  /** An `http:`, `https:` or `data:` URI. Its content is untrusted and may contain scripts. */
  src: URI;
  /** Media type, if that of the source is missing or too general. */
  contentType?: string;
  /** `<width>x<height>` in pixels, or `any`. Absent: fits every size. */
  sizes?: string[];
  /** The background that it is made for. Absent: both. */
  theme?: 'light' | 'dark';
}

/** Asks for one page of a list. */
export interface PaginatedParams {
  /** Entries in the page. Absent: all of them [ROOT-2]. */
  limit?: Count;
  /** `nextCursor` of the previous page. Absent: the first page. Unknown: `-32602` [ROOT-2]. */
  cursor?: string;
}

/** One page of a list. */
export interface PaginatedResult {
  /** Cursor of the next page. Absent: this is the last page. */
  nextCursor?: string;
}

/** Plain text, or an object whose text is rendered as Markdown. */
export type StringOrMarkdown = string | { markdown: string };

/** A position in a text. */
export interface TextPosition {
  /** From 0. */
  line: number;
  /** From 0, in UTF-16 code units. */
  character: number;
}

/** A range of text; `end` is the first position after it. */
export interface TextRange {
  start: TextPosition;
  end: TextPosition;
}

/** The text of a value, Markdown or not. */
export const textOf = (text: StringOrMarkdown): string => (typeof text === 'string' ? text : text.markdown);
