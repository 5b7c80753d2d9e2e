// A program behind previews: a development server with a WebSocket. Run by tests in a terminal; prints its port.
import { createServer, type IncomingMessage } from 'node:http';
import { WebSocketServer } from 'ws';

const [address = '127.0.0.1', first = '0'] = process.argv.slice(2);

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request) body += String(chunk);
  return body;
}

const server = createServer((request, response) => {
  const path = request.url ?? '';
  if (path === '/events') {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.flushHeaders();
    // The first event comes with a request of the client, so the head must arrive before it.
    server.once('event', () => response.write('data: one\n\n'));
    return;
  }
  if (path === '/event') server.emit('event');
  if (path === '/moved') response.setHeader('location', `http://localhost:${portOf()}/there?x=1#y`);
  if (path === '/away') response.setHeader('location', 'https://example.org/there');
  if (path === '/cookies')
    response.setHeader('set-cookie', [
      'own=1; Domain=localhost; Path=/; HttpOnly',
      'agenthost_token_4711=stolen; Path=/',
      '__Host-agenthost_preview=stolen; Path=/; Secure',
    ]);
  if (path === '/withheld') {
    response.setHeader('strict-transport-security', 'max-age=1');
    response.setHeader('clear-site-data', '"cookies"');
    response.setHeader('x-kept', 'yes');
  }
  if (path === '/cut') {
    response.writeHead(200, { 'content-length': '100' });
    response.write('half');
    setImmediate(() => response.destroy());
    return;
  }
  if (path === '/strange') {
    // A status and a reason that a server library would not send.
    request.socket.end('HTTP/1.1 200 a\x01b\r\ncontent-length: 2\r\n\r\nok');
    return;
  }
  if (path === '/switch') {
    request.socket.end('HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: other\r\n\r\nbytes');
    return;
  }
  void bodyOf(request).then((body) => {
    const { method, url, rawHeaders } = request;
    if (path === '/moved' || path === '/away') response.statusCode = 302;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ method, url, rawHeaders, body }));
  });
});

const sockets = new WebSocketServer({ noServer: true });
server.on('upgrade', (request, socket, head) => {
  if (request.url === '/refused') {
    socket.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 2\r\n\r\nno');
    return;
  }
  sockets.handleUpgrade(request, socket, head, (accepted) => {
    accepted.send(JSON.stringify({ origin: request.headers.origin, host: request.headers.host }));
    accepted.on('message', (data, isBinary) => accepted.send(data, { binary: isBinary }));
  });
});

function portOf(): number {
  const bound = server.address();
  return typeof bound === 'object' && bound !== null ? bound.port : 0;
}

server.listen(Number(first), address, () => console.log(`port ${portOf()}`));
