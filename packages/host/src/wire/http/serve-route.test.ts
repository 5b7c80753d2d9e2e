import { once } from 'node:events';
import { request } from 'node:http';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loopbackServer } from '../../../test/loopback-server.ts';
import type { HttpRoute } from '../../handler-port/http-route.ts';
import type { HostServer } from './server.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

interface Given {
  readonly body?: string;
  readonly headers?: Record<string, string>;
  readonly method?: string;
}

let server: HostServer;
let port: number;
let bodies: string[];
let route: HttpRoute;

beforeEach(async () => {
  bodies = [];
  route = (body) => {
    bodies.push(body);
    return Promise.resolve({ status: 409, body: { ok: false } });
  };
  const routes = { '/push-answer': (body: string) => route(body) };
  server = loopbackServer('a-token-of-some-length-0123456789', { routes });
  port = await server.start();
});

afterEach(() => server.stop());

async function post(
  body: string,
  headers: Record<string, string> = JSON_TYPE,
  method = 'POST',
): Promise<{ status: number; text: string }> {
  const sent = request({ host: '127.0.0.1', port, path: '/push-answer', headers, method, agent: false });
  sent.setHeader('content-length', Buffer.byteLength(body));
  sent.end(body);
  const [response] = await once(sent, 'response');
  let text = '';
  for await (const chunk of response) text += String(chunk);
  return { status: response.statusCode, text };
}

test('the route gets the body, and its answer is sent as JSON', async () => {
  expect(await post('{"é":1}')).toEqual({ status: 409, text: '{"ok":false}\n' });
  expect(bodies).toEqual(['{"é":1}']);
});

test.each([
  ['another method', { method: 'PUT' }, 405],
  [
    'another type, which a page of another site could send',
    { headers: { 'content-type': 'text/plain' } },
    415,
  ],
  ['a large body', { body: 'x'.repeat(4_097) }, 413],
  ['another origin', { headers: { ...JSON_TYPE, origin: 'https://other.example' } }, 403],
  ['another host', { headers: { ...JSON_TYPE, host: 'other.example' } }, 403],
])('the route does not get a request with %s', async (_, given, status) => {
  const { body = '{}', headers = JSON_TYPE, method = 'POST' }: Given = given;
  expect((await post(body, headers, method)).status).toBe(status);
  expect(bodies).toEqual([]);
});

test('a route that fails is an error of the host', async () => {
  route = () => Promise.reject(new Error('broken'));
  expect(await post('{}')).toMatchObject({ status: 500 });
});
