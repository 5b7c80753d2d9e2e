import { promisify } from 'node:util';
import { errorText } from '@agenthost/protocol/values';
import type { Cancel, Timers } from '../../lib/clock.ts';
import type { Endpoint } from './environment.ts';

/** Bytes of an answer that are read, for its reason. */
const MAX_ANSWER_BYTES = 1_024;

/** The answer of a collector. */
export interface CollectorAnswer {
  readonly status: number;
  /** The beginning of its body, for people. */
  readonly text: string;
  /** Its `Retry-After` in ms; `undefined`: absent. */
  readonly retryAfterMs: number | undefined;
}

/** Sends one export request. Resolves with any answer; rejects if there is none in time, and when `signal` aborts. */
export async function postJson(
  { url: address, headers, timeoutMs, isCompressed }: Endpoint,
  json: string,
  { timers, signal }: { readonly timers: Timers; readonly signal: AbortSignal },
): Promise<CollectorAnswer> {
  const body = isCompressed ? await gzip(json) : Buffer.from(json);
  const url = new URL(address);
  // An `import` would read all exports of the module, and load an HTTP client that the host does not use.
  const { request } = process.getBuiltinModule(url.protocol === 'http:' ? 'node:http' : 'node:https');
  return new Promise((resolve, reject) => {
    const sending = request(url, {
      method: 'POST',
      headers: {
        ...headers,
        'content-type': 'application/json',
        'content-length': body.length,
        ...(isCompressed ? { 'content-encoding': 'gzip' } : {}),
      },
      // A connection of its own, which ends with the answer.
      agent: false,
      signal,
    });
    const cancel: Cancel = timers.after(timeoutMs, () =>
      sending.destroy(new Error(`no answer within ${timeoutMs} ms`)),
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
        text = `${text}${chunk}`.slice(0, MAX_ANSWER_BYTES);
        if (text.length === MAX_ANSWER_BYTES) settle();
      });
      response.on('end', settle);
      response.on('error', settle);
    });
    sending.on('error', (error) => reject(new Error(errorText(error), { cause: error })));
    sending.on('close', () => {
      cancel();
      reject(new Error('the collector closed the connection'));
    });
    sending.end(body);
  });
}

async function gzip(json: string): Promise<Buffer> {
  const zlib = process.getBuiltinModule('node:zlib');
  return promisify<string, Buffer>((text, done) => zlib.gzip(text, done))(json);
}

const retryAfterMs = (header: string | undefined): number | undefined =>
  header !== undefined && /^\d{1,6}$/.test(header) ? Number(header) * 1_000 : undefined;
