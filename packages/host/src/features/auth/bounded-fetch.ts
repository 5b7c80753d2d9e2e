/** Time limit of one answer of an authorization server, in milliseconds. */
const LIMIT_MS = 15_000;
/** Largest answer, in bytes. */
const LIMIT_BYTES = 1024 * 1024;

/** `fetch` for small documents: with a time limit, a size limit, and without redirects, which could carry secrets elsewhere. */
export async function boundedFetch(url: string | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, { ...init, redirect: 'error', signal: AbortSignal.timeout(LIMIT_MS) });
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
