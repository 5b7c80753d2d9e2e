import { parseRefusal } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { CannotConnect, type Refusal, Unauthorized } from '../errors.ts';

/** Longer texts do not come from a host. */
const MAX_REASON_LENGTH = 300;

/** Headers of an HTTP answer that say why a connection was refused. */
interface AnswerHeaders {
  readonly contentType: string | null | undefined;
  /** `x-refusal`. */
  readonly refusal: string | null | undefined;
}

/** Reads a refusal from an HTTP answer. Only a short plain line of the body is kept. */
export function refusalOf(status: number, { contentType, refusal }: AnswerHeaders, body: string): Refusal {
  const line = body.trim();
  const isShown =
    contentType?.startsWith('text/plain') === true &&
    line.length <= MAX_REASON_LENGTH &&
    !/\p{Cc}/u.test(line);
  return { status, reason: isShown ? line : '', ...defined({ details: parseRefusal(refusal) }) };
}

/**
 * The error for a refusal: `Unauthorized` when another attempt would get the same answer, else
 * `CannotConnect`.
 */
export function refused({ host }: URL, refusal: Refusal, cause: unknown): Unauthorized | CannotConnect {
  const { status, reason } = refusal;
  const why = reason === '' ? `status ${status}` : reason;
  const message = `${host} refused the connection: ${why}`;
  const isFinal = status >= 400 && status < 500 && status !== 408 && status !== 429;
  return isFinal
    ? new Unauthorized(message, { cause, refusal })
    : new CannotConnect(message, { cause, refusal });
}
