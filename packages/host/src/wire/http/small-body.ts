import type { IncomingMessage } from 'node:http';
import { MAX_SMALL_BODY_BYTES } from './first-request.ts';
import type { PlainAnswer } from './plain-http.ts';

const TOO_LARGE: PlainAnswer = {
  status: 413,
  reason: `expected a body of at most ${MAX_SMALL_BODY_BYTES} bytes`,
};

/** Refuses a body that is not small, or whose length is not known before it is read: the listener does not pass all of its bytes on. */
export function bodyRefusal({ headers }: IncomingMessage): PlainAnswer | undefined {
  const length = Number(headers['content-length'] ?? Number.NaN);
  return length <= MAX_SMALL_BODY_BYTES ? undefined : TOO_LARGE;
}
