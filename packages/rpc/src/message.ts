import { type ErrorObject, JSON_RPC_ERROR } from './errors.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPENING_BRACKET = 0x5b;
const OPENING_BRACE = 0x7b;

/**
 * Whether a JSON text has at most `most` elements: members of objects, entries of lists, and the objects and
 * lists themselves. Counts the structure characters outside of strings. Parsing millions of elements would
 * take a hundred times longer and use memory.
 */
export function hasAtMostElements(json: string, most: number): boolean {
  // An element takes at least one character.
  if (json.length <= most) return true;
  let count = 0;
  let isInString = false;
  for (let index = 0; index < json.length; index += 1) {
    const code = json.charCodeAt(index);
    if (isInString) {
      if (code === BACKSLASH) index += 1;
      else if (code === QUOTE) isInString = false;
    } else if (code === QUOTE) isInString = true;
    else if (code === COMMA || code === OPENING_BRACKET || code === OPENING_BRACE) {
      count += 1;
      if (count > most) return false;
    }
  }
  return true;
}

/** Id of a request. Responses to unreadable messages have the id `null` instead. */
export type RequestId = string | number;

/** A successful response. */
export interface ResultMessage {
  readonly jsonrpc: '2.0';
  readonly id: RequestId;
  readonly result: unknown;
}

/** An error response. `id` is null when the request's id could not be read. */
export interface ErrorMessage {
  readonly jsonrpc: '2.0';
  readonly id: RequestId | null;
  readonly error: ErrorObject;
}

/** A response of either kind. */
export type ResponseMessage = ResultMessage | ErrorMessage;

/** The content of one frame. */
export type Incoming =
  | { readonly kind: 'request'; readonly id: RequestId; readonly method: string; readonly params: unknown }
  | { readonly kind: 'notification'; readonly method: string; readonly params: unknown }
  | { readonly kind: 'result'; readonly id: unknown; readonly result: unknown }
  | { readonly kind: 'error'; readonly id: unknown; readonly error: unknown }
  | { readonly kind: 'malformed'; readonly answer: ErrorMessage }
  | { readonly kind: 'ignored' };

/** Default nesting limit. Deeper messages are refused, so that recursive code never runs out of stack. */
export const DEFAULT_MAX_DEPTH = 128;

/**
 * Longest request id that is accepted, in UTF-16 code units. Responses repeat it, and they are queued for
 * clients that do not read.
 */
const MAX_ID_LENGTH = 512;

const isId = (value: unknown): value is RequestId =>
  typeof value === 'string' ? value.length <= MAX_ID_LENGTH : typeof value === 'number';

/** Builds an error response. */
export function errorMessage(id: RequestId | null, code: number, message: string): ErrorMessage {
  return { jsonrpc: '2.0', id, error: { code, message } };
}

const malformed = (id: unknown, code: number, message: string): Incoming => ({
  kind: 'malformed',
  answer: errorMessage(isId(id) ? id : null, code, message),
});

/** Limits above which a message is refused. */
export interface FrameLimits {
  /** Levels of nesting. Default 128. */
  readonly maxDepth?: number | undefined;
  /**
   * Entries of lists, members of objects, and the lists and objects themselves, in total. Default: unlimited.
   */
  readonly maxElements?: number | undefined;
}

/**
 * Parses one frame [WIRE-3]. Never throws. Unknown members are ignored, so a message with a `method` is a
 * request or notification even if it also has a `result`. A message with `result` or `error` and no `method`
 * is a response, and gets no answer however malformed it is.
 */
export function readFrame(
  frame: string,
  { maxDepth = DEFAULT_MAX_DEPTH, maxElements = Infinity }: FrameLimits = {},
): Incoming {
  if (!hasAtMostElements(frame, maxElements))
    return malformed(
      idAtBeginning(frame),
      JSON_RPC_ERROR.invalidRequest,
      `A message has at most ${maxElements} entries of lists and members of objects`,
    );
  let value: unknown;
  try {
    value = JSON.parse(frame);
  } catch {
    return malformed(null, JSON_RPC_ERROR.parseError, 'Parse error');
  }
  if (Array.isArray(value))
    return malformed(null, JSON_RPC_ERROR.invalidRequest, 'Batches are not supported');
  if (typeof value !== 'object' || value === null) {
    return malformed(null, JSON_RPC_ERROR.invalidRequest, 'A message is an object');
  }
  const message: { [member: string]: unknown } = { ...value };
  const { id, method } = message;
  // A shorter frame cannot contain that many brackets.
  if (frame.length > 2 * maxDepth && !isWithinDepth(value, maxDepth)) {
    if (method === undefined) return { kind: 'ignored' };
    return malformed(id, JSON_RPC_ERROR.invalidRequest, `Nested deeper than ${maxDepth}`);
  }
  if (method === undefined) {
    if (message['error'] !== undefined) return { kind: 'error', id, error: message['error'] };
    if (message['result'] !== undefined) return { kind: 'result', id, result: message['result'] };
    return malformed(id, JSON_RPC_ERROR.invalidRequest, 'No method, result or error');
  }
  if (message['jsonrpc'] !== '2.0')
    return malformed(id, JSON_RPC_ERROR.invalidRequest, 'jsonrpc must be "2.0"');
  if (typeof method !== 'string')
    return malformed(id, JSON_RPC_ERROR.invalidRequest, 'method must be a string');
  const params = message['params'];
  const isStructured = params === undefined || (typeof params === 'object' && params !== null);
  if (id === undefined) {
    // A notification gets no answer, even when its params are malformed.
    return isStructured ? { kind: 'notification', method, params } : { kind: 'ignored' };
  }
  if (!isId(id))
    return malformed(
      null,
      JSON_RPC_ERROR.invalidRequest,
      `id must be a string of at most ${MAX_ID_LENGTH} characters, or a number`,
    );
  if (!isStructured) return malformed(id, JSON_RPC_ERROR.invalidParams, 'params must be an object');
  return { kind: 'request', id, method, params };
}

/**
 * The id of an unparsed message, when it stands before `params`, as clients write it. The repetition is
 * bounded because the regular expression uses the stack.
 */
function idAtBeginning(frame: string): RequestId | null {
  const [, id] =
    /^\s*\{(?:\s*"(?:jsonrpc|method)"\s*:\s*"[^"\\]{0,200}"\s*,){0,2}\s*"id"\s*:\s*(-?\d{1,16}|"[^"\\]{0,512}")\s*,/.exec(
      frame,
    ) ?? [];
  if (id === undefined) return null;
  return id.startsWith('"') ? id.slice(1, -1) : Number(id);
}

/** Whether `value` nests at most `levels` deep. The recursion stops at the limit. */
function isWithinDepth(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (levels === 0) return false;
  const children: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  return children.every((child) => isWithinDepth(child, levels - 1));
}
