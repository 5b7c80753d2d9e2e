import { once } from 'node:events';
import { type IncomingHttpHeaders, request } from 'node:http';

/** What a request without an upgrade gets. */
export interface PlainAnswer {
  readonly status: number;
  readonly body: string;
  readonly headers: IncomingHttpHeaders;
}

/** A request to this machine, with any headers, over a connection of its own; redirects are not followed. */
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
