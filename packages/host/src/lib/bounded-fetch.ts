import type { Timers } from './clock.ts';

/** Time limit of one answer with its body, in milliseconds. */
const LIMIT_MS = 15_000;
/** Largest answer, in bytes. */
const LIMIT_BYTES = 1024 * 1024;

/** `fetch` for small documents of other machines. */
export type BoundedFetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** Returns a `fetch` with a time limit, a size limit, and without redirects, which could carry secrets elsewhere. */
export function boundedFetch(timers: Timers): BoundedFetch {
  return async (url, init) => {
    const limit = new AbortController();
    const cancel = timers.after(LIMIT_MS, () =>
      limit.abort(new Error(`${new URL(url).host} did not answer within ${LIMIT_MS / 1_000} s`)),
    );
    try {
      const signal = init?.signal ? AbortSignal.any([init.signal, limit.signal]) : limit.signal;
      return await wholeOf(await fetch(url, { ...init, redirect: 'error', signal }));
    } finally {
      cancel();
    }
  };
}

/** The response with its body in memory. */
async function wholeOf(response: Response): Promise<Response> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > LIMIT_BYTES) throw new Error(`the answer has more than ${LIMIT_BYTES / 1024 / 1024} MiB`);
    chunks.push(chunk);
  }
  const { status, statusText, headers } = response;
  // Such answers have no body.
  const body = status === 204 || status === 304 ? null : new Blob(chunks);
  return new Response(body, { status, statusText, headers });
}
