import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A small MCP server over streamable HTTP. The test decides which tokens it takes. */
export interface RemoteServer {
  readonly url: string;
  /** Tokens that it takes; absent: no token is needed. */
  tokens?: readonly string[];
  /** Tokens that may call tools; absent: all. */
  callers?: readonly string[];
  /** Identifier of the resource in its metadata; absent: its URL. */
  resource?: string;
  /** Its authorization server; absent: a path of its own that answers nothing. */
  issuer?: string;
  /** Answers that it gives as this status instead. */
  broken?: number;
  stop(): void;
}

/** Starts it on loopback until the end of the test. */
export async function remoteServer(): Promise<RemoteServer> {
  const remote = { url: '' } as { -readonly [K in keyof RemoteServer]: RemoteServer[K] };
  const server = createServer((request, response) => void answer(remote, request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  remote.url = `http://127.0.0.1:${port}/mcp`;
  remote.stop = () => {
    server.closeAllConnections();
    server.close();
  };
  onTestFinished(() => remote.stop());
  return remote;
}

async function answer(
  remote: RemoteServer,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const send = (status: number, body?: object, headers: Record<string, string> = {}): void => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(body === undefined ? '' : JSON.stringify(body));
  };
  const origin = new URL(remote.url).origin;
  if (request.url?.startsWith('/.well-known/oauth-protected-resource') === true) {
    return send(200, {
      resource: remote.resource ?? remote.url,
      authorization_servers: [remote.issuer ?? `${origin}/login`],
      scopes_supported: ['read', 'call'],
    });
  }
  if (remote.broken !== undefined) return send(remote.broken);
  const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1];
  const metadata = `resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`;
  if (remote.tokens !== undefined && !remote.tokens.includes(token ?? '')) {
    return send(401, undefined, { 'www-authenticate': `Bearer ${metadata}, scope="read"` });
  }
  if (request.method !== 'POST') return send(405);
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { id, method } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as {
    id?: number;
    method: string;
  };
  if (id === undefined) return send(202);
  const result = (value: object): void => send(200, { jsonrpc: '2.0', id, result: value });
  if (method === 'initialize') {
    return result({
      protocolVersion: '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: 'remote', version: '1' },
    });
  }
  if (method === 'tools/list') {
    const annotations = { readOnlyHint: true };
    return result({ tools: [{ name: 'who', inputSchema: { type: 'object' }, annotations }] });
  }
  if (method === 'tools/call') {
    if (remote.callers !== undefined && !remote.callers.includes(token ?? '')) {
      const challenge = `Bearer error="insufficient_scope", scope="read call", error_description="More, please", ${metadata}`;
      return send(403, undefined, { 'www-authenticate': challenge });
    }
    return result({ content: [{ type: 'text', text: `token ${token ?? 'none'}` }] });
  }
  return result({});
}
