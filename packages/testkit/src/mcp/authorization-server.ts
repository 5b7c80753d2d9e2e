import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { RemoteServer } from './remote-server.ts';

/** Starts an authorization server for a remote server until the end of the test. It lets everybody in. Its tokens are `token-1`, `token-2` and so on. */
export async function authorizationServer(remote: RemoteServer): Promise<{ asked: URLSearchParams[] }> {
  const asked: URLSearchParams[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const origin = `http://${request.headers.host}`;
    const url = new URL(request.url ?? '', origin);
    const send = (body: object): void => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    };
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    if (url.pathname.startsWith('/.well-known'))
      return send({
        issuer: origin,
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token`,
        registration_endpoint: `${origin}/register`,
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
      });
    if (url.pathname === '/register') {
      response.writeHead(201, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ ...(JSON.parse(body) as object), client_id: 'made' }));
      return;
    }
    if (url.pathname === '/authorize') {
      const { searchParams } = url;
      const state = searchParams.get('state') ?? '';
      response.writeHead(302, {
        location: `${searchParams.get('redirect_uri')}?${new URLSearchParams({ code: 'c', state }).toString()}`,
      });
      response.end();
      return;
    }
    asked.push(new URLSearchParams(body));
    const token = `token-${asked.length}`;
    remote.tokens = [token];
    send({
      access_token: token,
      token_type: 'bearer',
      expires_in: 300,
      refresh_token: `refresh-${asked.length}`,
    });
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  remote.issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  remote.tokens = [];
  return { asked };
}
