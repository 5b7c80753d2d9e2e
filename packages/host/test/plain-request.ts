import { once } from 'node:events';
import { type IncomingHttpHeaders, request } from 'node:http';

/** Answer to a request without an upgrade. */
export interface PlainAnswer {
  readonly status: number;
  readonly body: string;
  readonly headers: IncomingHttpHeaders;
}

/** Sends a request to this machine with any headers, over a connection of its own. Redirects are not followed. */
export async function plainRequest(
  port: number,
  path: string,
  headers: Record<string, string> = {},
  method = 'GET',
): Promise<PlainAnswer> {
  const sent = request({ host: '127.0.0.1', port, path, headers, method, agent: false });
  sent.end();
  const [response] = await once(sent, 'response');
  let body = '';
  for await (const chunk of response) body += String(chunk);
  return { status: response.statusCode, body, headers: response.headers };
}
