import { promisify } from 'node:util';
import type { Timers } from '../../lib/clock.ts';
import { requestShortly, type ShortAnswer } from '../../lib/short-request.ts';
import type { Endpoint } from './environment.ts';

/** Sends one export request. Resolves with any answer; rejects if there is none in time, and when `signal` aborts. */
export async function postJson(
  { url, headers, timeoutMs, isCompressed }: Endpoint,
  json: string,
  { timers, signal }: { readonly timers: Timers; readonly signal: AbortSignal },
): Promise<ShortAnswer> {
  const body = isCompressed ? await gzip(json) : Buffer.from(json);
  return requestShortly(
    new URL(url),
    {
      method: 'POST',
      headers: {
        ...headers,
        'content-type': 'application/json',
        'content-length': body.length,
        ...(isCompressed ? { 'content-encoding': 'gzip' } : {}),
      },
      body,
    },
    { who: 'the collector', limitMs: timeoutMs, timers, signal },
  );
}

async function gzip(json: string): Promise<Buffer> {
  const zlib = process.getBuiltinModule('node:zlib');
  return promisify<string, Buffer>((text, done) => zlib.gzip(text, done))(json);
}
