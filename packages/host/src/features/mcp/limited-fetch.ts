/** Thrown into the reader of an answer that is larger than a message may be. */
export class McpMessageTooLarge extends Error {
  override readonly name = 'McpMessageTooLarge';

  constructor(limitBytes: number) {
    super(`the server sent a message of more than ${limitBytes / 1024 / 1024} MiB`);
  }
}

/** An answer whose body fails above the limit: the whole of it, or one line of an event stream. */
export function limitedResponse(response: Response, limitBytes: number): Response {
  if (response.body === null) return response;
  const isStream = response.headers.get('content-type')?.includes('text/event-stream') === true;
  let length = 0;
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      const lineEnd = isStream ? chunk.lastIndexOf(10) : -1;
      length = lineEnd < 0 ? length + chunk.length : chunk.length - lineEnd - 1;
      if (length > limitBytes) controller.error(new McpMessageTooLarge(limitBytes));
      else controller.enqueue(chunk);
    },
  });
  return new Response(response.body.pipeThrough(limit), {
    status: response.status,
    statusText: response.statusText,
    headers: response.headers,
  });
}
