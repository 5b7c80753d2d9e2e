import { hasAtMostElements } from './element-count.ts';
import { type ErrorObject, JSON_RPC_ERROR } from './errors.ts';

/** Ids that a request may have. `null` is for answers to what could not be read, never for requests. */
export type RequestId = string | number;

/** A successful answer; exactly one of `result` and `error` is there. */
export interface ResultMessage {
  readonly jsonrpc: '2.0';
  readonly id: RequestId;
  readonly result: unknown;
}

/** A failed answer; `id` is null when the request's could not be read. */
export interface ErrorMessage {
  readonly jsonrpc: '2.0';
  readonly id: RequestId | null;
  readonly error: ErrorObject;
}

/** Any answer. */
export type ResponseMessage = ResultMessage | ErrorMessage;

/** What one frame turned out to be. */
export type Incoming =
  | { readonly kind: 'request'; readonly id: RequestId; readonly method: string; readonly params: unknown }
  | { readonly kind: 'notification'; readonly method: string; readonly params: unknown }
  | { readonly kind: 'result'; readonly id: unknown; readonly result: unknown }
  | { readonly kind: 'error'; readonly id: unknown; readonly error: unknown }
  | { readonly kind: 'malformed'; readonly answer: ErrorMessage }
  | { readonly kind: 'ignored' };

/** Default depth of nesting above which a message is refused: recursive code of ours must never meet a bomb. */
export const DEFAULT_MAX_DEPTH = 128;

/** Longest id of a request that is read: an answer repeats it, and waits for who does not read. */
const MAX_ID_LENGTH = 512;

const isId = (value: unknown): value is RequestId =>
  typeof value === 'string' ? value.length <= MAX_ID_LENGTH : typeof value === 'number';

/** Builds a failed answer. */
export function errorMessage(id: RequestId | null, code: number, message: string): ErrorMessage {
  return { jsonrpc: '2.0', id, error: { code, message } };
}

const malformed = (id: unknown, code: number, message: string): Incoming => ({
  kind: 'malformed',
  answer: errorMessage(isId(id) ? id : null, code, message),
});

/** Above these a message is refused. */
export interface FrameLimits {
  /** Levels of nesting. Default 128. */
  readonly maxDepth?: number | undefined;
  /** Entries of lists, members of objects, lists and objects, together. Default: any number. */
  readonly maxElements?: number | undefined;
}

/**
 * Reads one frame [WIRE-3]. Total: never throws. Members that JSON-RPC does not know are ignored, so a message with a
 * `method` is a request or notification even if it has a `result` too. What has a `result` or an `error` and no
 * `method` is a response and never answered, however odd.
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
  // A frame this short has no room for that many brackets.
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
    // A notification gets no answer, not even for params that cannot be any method's.
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

/** The id of a message that is not parsed, where it stands before `params`, as clients write it. Repetition is bounded: the stack has to hold it. */
function idAtBeginning(frame: string): RequestId | null {
  const [, id] =
    /^\s*\{(?:\s*"(?:jsonrpc|method)"\s*:\s*"[^"\\]{0,200}"\s*,){0,2}\s*"id"\s*:\s*(-?\d{1,16}|"[^"\\]{0,512}")\s*,/.exec(
      frame,
    ) ?? [];
  if (id === undefined) return null;
  return id.startsWith('"') ? id.slice(1, -1) : Number(id);
}

/** Whether `value` nests at most `levels` deep. Recursion stops at the limit, so the stack is bounded too. */
function isWithinDepth(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (levels === 0) return false;
  const children: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  return children.every((child) => isWithinDepth(child, levels - 1));
}
