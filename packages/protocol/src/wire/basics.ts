/** An absolute URI. Those of channels are opaque: compared as strings, never taken apart. */
export type URI = string;

/**
 * A whole number from 0 to 2^53 − 1: what a counter, an offset or an amount asked for can be.
 * @asType integer
 * @minimum 0
 * @maximum 9007199254740991
 */
export type Count = number;

/** What every request and notification carries: the channel it is about [WIRE-2]. */
export interface BaseParams {
  channel: URI;
}

/** Params of a method of the connection itself, which always names the root channel [WIRE-2]. */
export interface ConnectionParams extends BaseParams {
  channel: 'ahp-root://';
}

/** A result that says no more than "done": an object without fields. */
export type EmptyResult = Record<string, unknown>;

/** Room for what a producer and its consumers agree on among themselves. */
export interface WithMeta {
  /** Carried and stored as it is, never interpreted by host or reducers. */
  _meta?: Record<string, unknown>;
}

/** Content that is too large for state; the bytes come by `resourceRead`. */
export interface ContentRef {
  uri: URI;
  /** Bytes, roughly. */
  sizeHint?: number;
  /** Media type. Absent: unknown. */
  contentType?: string;
  /** Differs when the content behind the same URI has changed. */
  nonce?: string;
}

/** An error that is part of state, as opposed to one that answers a request. */
export interface ErrorInfo extends WithMeta {
  /** For programs. Turns end with one of the host's names or with the agent's own [CHAT-5]. */
  errorType: string;
  /** For people. */
  message: string;
  stack?: string;
}

/** A picture for a user interface. */
export interface Icon {
  /** An `http:`, `https:` or `data:` URI. What it loads is foreign and may contain scripts. */
  src: URI;
  /** Media type, where the source's own is missing or too general. */
  contentType?: string;
  /** `<width>x<height>` in pixels, or `any`. Absent: fits every size. */
  sizes?: string[];
  /** The background it is drawn for. Absent: both. */
  theme?: 'light' | 'dark';
}

/** Asks for a list page by page. */
export interface PaginatedParams {
  /** Entries in the page. Absent: all of them [ROOT-2]. */
  limit?: Count;
  /** `nextCursor` of the page before. Absent: the first page; unknown: `-32602` [ROOT-2]. */
  cursor?: string;
}

/** One page of a list. */
export interface PaginatedResult {
  /** Asks for the page after this one. Absent: this was the last. */
  nextCursor?: string;
}

/** Plain text, or an object whose text is rendered as Markdown. */
export type StringOrMarkdown = string | { markdown: string };

/** A place in a text. */
export interface TextPosition {
  /** From 0. */
  line: number;
  /** From 0, in UTF-16 code units. */
  character: number;
}

/** A stretch of text; `end` is the first position behind it. */
export interface TextRange {
  start: TextPosition;
  end: TextPosition;
}

/** The text itself, whether or not it is Markdown. */
export const textOf = (text: StringOrMarkdown): string => (typeof text === 'string' ? text : text.markdown);
