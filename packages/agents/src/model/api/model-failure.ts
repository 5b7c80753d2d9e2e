import { AgentError } from '@agenthost/host/agent';
import { errorText } from '@agenthost/protocol/values';
import { numberOf } from '../../acp/json.ts';

/** What to do about a failed call of a model. */
export type FailureKind = 'auth' | 'tooLong' | 'retry' | 'refused';

/** A failed call of a model. The message is for people, without the key. */
export interface ModelFailure {
  readonly kind: FailureKind;
  /** The `errorType` of the turn if it fails. */
  readonly errorType: string;
  readonly message: string;
  /** Milliseconds that the API asks to wait. Absent: it does not say. */
  readonly waitMs?: number;
}

/** Longest text of an API in a message, in UTF-16 code units. */
const SHOWN_LENGTH = 500;

const STATUS_TEXTS: Readonly<Record<number, string>> = {
  401: 'the API refused the key',
  402: 'the account has no credit left',
  403: 'the key may not do this',
  404: 'the model or the path does not exist',
  408: 'the API took too long',
  413: 'the request is too large',
  429: 'the API limits the rate of requests',
  500: 'the API failed',
  502: 'the API cannot be reached by its own server',
  503: 'the API is overloaded',
  504: 'the API took too long',
  529: 'the API is overloaded',
};

/** An HTTP status of a model API, for people. `key`: the key of the request. */
export function describeStatus(status: number, key: string | undefined): string {
  const text = status === 401 && key === undefined ? 'the API wants a key' : STATUS_TEXTS[status];
  return text === undefined ? `HTTP ${status}` : `${text} (HTTP ${status})`;
}

const TOO_LONG =
  /context.{0,20}(length|window|size)|(prompt|input|request).{0,20}too (long|large)|maximum.{0,20}tokens|too many tokens/i;

/** Classifies what a model call was rejected with. `key` is removed from messages. */
export function failureOf(thrown: unknown, key: string | undefined): ModelFailure {
  const details = thrown instanceof Error ? { ...thrown } : {};
  const given = numberOf('statusCode' in details ? details['statusCode'] : undefined);
  // The library reports a stream that was cut with the status that it began with.
  const status = given !== undefined && given < 400 ? undefined : given;
  const said = spoken(thrown, key);
  if (status === undefined) {
    // Without a status, the connection failed or the stream was cut: another attempt may succeed.
    return { kind: 'retry', errorType: 'modelUnavailable', message: `The model did not answer: ${said}` };
  }
  const message = `${capital(describeStatus(status, key))}: ${said}`;
  if (status === 401 || status === 403) return { kind: 'auth', errorType: 'authRequired', message };
  if (TOO_LONG.test(said) && (status === 400 || status === 413))
    return { kind: 'tooLong', errorType: 'contextTooLong', message };
  const isTemporary = status === 408 || status === 409 || status === 425 || status === 429 || status >= 500;
  if (!isTemporary)
    return { kind: 'refused', errorType: status === 404 ? 'modelNotFound' : 'modelError', message };
  const headers: unknown = 'responseHeaders' in details ? details['responseHeaders'] : undefined;
  const waitMs = waitOf(headers);
  return {
    kind: 'retry',
    errorType: status === 429 ? 'rateLimited' : 'modelUnavailable',
    message,
    ...(waitMs === undefined ? {} : { waitMs }),
  };
}

/** The error that a turn ends with. */
export const agentErrorOf = ({ errorType, message }: ModelFailure, cause: unknown): AgentError =>
  new AgentError(errorType, message, { cause });

function spoken(thrown: unknown, key: string | undefined): string {
  const cause = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause.message : '';
  const own = errorText(thrown);
  const text = (own.includes(cause) ? own : `${own}: ${cause}`).replaceAll(/\s+/g, ' ').trim();
  const safe = key === undefined || key.length < 4 ? text : text.replaceAll(key, '(key)');
  return safe.length > SHOWN_LENGTH ? `${safe.slice(0, SHOWN_LENGTH)}…` : safe;
}

/** `retry-after-ms`, or `retry-after` in seconds or as a date. */
function waitOf(headers: unknown): number | undefined {
  if (typeof headers !== 'object' || headers === null) return undefined;
  const read = (name: string): string | undefined => {
    const value: unknown = Reflect.get(headers, name);
    return typeof value === 'string' && value.trim() !== '' ? value : undefined;
  };
  const ms = Number(read('retry-after-ms') ?? Number.NaN);
  if (Number.isFinite(ms)) return Math.max(0, ms);
  const after = read('retry-after');
  if (after === undefined) return undefined;
  const seconds = Number(after);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1_000);
  const date = Date.parse(after);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
