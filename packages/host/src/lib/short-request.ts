import type { RequestOptions } from 'node:https';
import { errorText } from '@agenthost/protocol/values';
import type { Cancel, Timers } from './clock.ts';

/** Characters of an answer that are read, for its reason. */
const MAX_ANSWER = 1_024;

/** The answer of a server. */
export interface ShortAnswer {
  readonly status: number;
  /** The beginning of its body, for people. */
  readonly text: string;
  /** Its `Retry-After` in ms; `undefined`: absent. */
  readonly retryAfterMs: number | undefined;
}

/**
 * Sends one HTTP request on a connection of its own, which ends with the answer. Resolves with any answer. Rejects if there is none within
 * `limitMs`, and when `signal` aborts. `who`: the server, for people.
 */
export function requestShortly(
  url: URL,
  { body, ...options }: RequestOptions & { readonly body?: string | Buffer | null | undefined },
  {
    who,
    limitMs,
    timers,
    signal,
  }: {
    readonly who: string;
    readonly limitMs: number;
    readonly timers: Timers;
    readonly signal: AbortSignal;
  },
): Promise<ShortAnswer> {
  // An `import` would read all exports of the module, see `plain-http.ts`.
  const { request } = process.getBuiltinModule(url.protocol === 'http:' ? 'node:http' : 'node:https');
  return new Promise((resolve, reject) => {
    const sending = request(url, { ...options, agent: false, signal });
    const cancel: Cancel = timers.after(limitMs, () =>
      sending.destroy(new Error(`no answer within ${limitMs} ms`)),
    );
    sending.on('response', (response) => {
      let text = '';
      const settle = (): void => {
        const { statusCode: status = 0 } = response;
        resolve({ status, text, retryAfterMs: retryAfterMs(response.headers['retry-after']) });
        response.destroy();
      };
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text = `${text}${chunk}`.slice(0, MAX_ANSWER);
        if (text.length === MAX_ANSWER) settle();
      });
      response.on('end', settle);
      response.on('error', settle);
    });
    sending.on('error', (error) => reject(new Error(errorText(error), { cause: error })));
    sending.on('close', () => {
      cancel();
      reject(new Error(`${who} closed the connection`));
    });
    sending.end(body ?? undefined);
  });
}

const retryAfterMs = (header: string | undefined): number | undefined =>
  header !== undefined && /^\d{1,6}$/.test(header) ? Number(header) * 1_000 : undefined;
