import { once } from 'node:events';
import { type AddressInfo, connect, Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { loopbackServer } from '../../../test/loopback-server.ts';
import { silentLog } from '../../lib/log.ts';
import { createListener } from './listener.ts';
import { UnauthenticatedSockets } from './unauthenticated-sockets.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

let portCount = 0;

/** A socket from an address, as a server sees it. It is never connected. */
function from(remoteAddress: string): Socket {
  portCount += 1;
  const socket = new Socket();
  Object.defineProperties(socket, {
    remoteAddress: { value: remoteAddress },
    remotePort: { value: portCount },
  });
  return socket;
}

describe('connections without a token', () => {
  it('from one address of another machine are bounded, and other addresses are not affected', async () => {
    const told: object[] = [];
    const log = { ...silentLog, warn: (fields: object) => void told.push(fields) };
    const unauthenticated = new UnauthenticatedSockets(log, { most: 100, mostPerAddress: 2 });
    const [first, second, third] = [from('192.0.2.1'), from('::ffff:192.0.2.1'), from('192.0.2.1')];
    expect([first, second, third].map((socket) => unauthenticated.admit(socket))).toEqual([
      true,
      true,
      false,
    ]);
    expect(unauthenticated.admit(from('192.0.2.2'))).toBe(true);
    expect(told).toEqual([{ address: '192.0.2.1', open: 2 }]);
    // A socket is removed once, by its end or by a token.
    first.destroy();
    await once(first, 'close');
    unauthenticated.authenticated(second);
    unauthenticated.authenticated(second);
    second.destroy();
    await once(second, 'close');
    const again = [1, 2, 3].map(() => unauthenticated.admit(from('192.0.2.1')));
    expect(again).toEqual([true, true, false]);
  });

  it('of a trusted proxy are counted for the clients that it names', async () => {
    const limits = { most: 100, mostPerAddress: 1 };
    const unauthenticated = new UnauthenticatedSockets(
      silentLog,
      limits,
      (address) => address === '10.0.0.1',
    );
    const [first, second, third] = [from('10.0.0.1'), from('10.0.0.1'), from('10.0.0.1')];
    expect([first, second, third].map((socket) => unauthenticated.admit(socket))).toEqual([true, true, true]);
    expect(unauthenticated.countFor(first, '192.0.2.1')).toBe(true);
    expect(unauthenticated.countFor(first, '192.0.2.1')).toBe(true);
    expect(unauthenticated.countFor(second, '192.0.2.2')).toBe(true);
    expect(unauthenticated.countFor(third, '192.0.2.2')).toBe(false);
    unauthenticated.authenticated(second);
    expect(unauthenticated.countFor(third, '192.0.2.2')).toBe(true);
    first.destroy();
    await once(first, 'close');
    expect(unauthenticated.admit(from('192.0.2.1'))).toBe(true);
  });

  it('from one IPv6 network count as one address, and those of this machine are not counted by address', () => {
    const unauthenticated = new UnauthenticatedSockets(silentLog, { most: 100, mostPerAddress: 1 });
    expect(unauthenticated.admit(from('2001:db8:1:2::1'))).toBe(true);
    expect(unauthenticated.admit(from('2001:db8:1:2:ffff::9'))).toBe(false);
    expect(unauthenticated.admit(from('2001:db8:1:3::1'))).toBe(true);
    for (const address of ['127.0.0.1', '::1', '127.0.0.2', '::ffff:127.0.0.1'])
      expect(unauthenticated.admit(from(address))).toBe(true);
  });

  it('are bounded in all: the oldest is destroyed, and that is logged once', () => {
    const told: object[] = [];
    const log = { ...silentLog, warn: (fields: object) => void told.push(fields) };
    const unauthenticated = new UnauthenticatedSockets(log, { most: 3, mostPerAddress: 10 });
    const sockets = ['192.0.2.1', '192.0.2.2', '127.0.0.1', '192.0.2.4', '192.0.2.5'].map(from);
    expect(sockets.map((socket) => unauthenticated.admit(socket))).toEqual([true, true, true, true, true]);
    expect(sockets.map(({ destroyed }) => destroyed)).toEqual([true, true, false, false, false]);
    expect(told).toEqual([{ address: '192.0.2.1', open: 4 }]);
  });
});

/** A port that refuses all connections. */
async function fullPort(): Promise<number> {
  const listener = createListener(
    undefined,
    { unauthenticated: { admit: () => false }, log: silentLog },
    () => expect.unreachable('nobody gets in'),
  );
  listener.port.listen(0, '127.0.0.1');
  await once(listener.port, 'listening');
  ends.push(() => new Promise((resolve) => listener.port.close(resolve)));
  const { port } = listener.port.address() as AddressInfo;
  return port;
}

describe('a port', () => {
  it('destroys refused connections without an answer when many of them do not close', async () => {
    const port = await fullPort();
    /** The answer to a client that does not close its socket. */
    const told = async (): Promise<boolean> => {
      const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
      ends.push(() => socket.destroy());
      let text = '';
      socket.on('data', (data) => {
        text += String(data);
      });
      await once(socket, 'end');
      return text.startsWith('HTTP/1.1 503 ');
    };
    const answers: boolean[] = [];
    for (let count = 0; count < 66; count += 1) answers.push(await told());
    expect(answers.filter(Boolean)).toHaveLength(64);
    expect(answers.slice(64)).toEqual([false, false]);
  });

  it('answers a refused connection in plain HTTP, and closes it', async () => {
    const port = await fullPort();
    const answer = await fetch(`http://127.0.0.1:${port}/`);
    expect([answer.status, answer.headers.get('retry-after'), await answer.text()]).toEqual([
      503,
      '5',
      'too many connections without a token are open from here: try again later\n',
    ]);
  });

  it('[AUTH-1] with too many silent connections accepts a client with a token, and keeps connected clients', async () => {
    const token = 'a-token-of-some-length-0123456789';
    const server = loopbackServer(token, { unauthenticatedLimits: { most: 4, mostPerAddress: 4 } });
    const port = await server.start();
    ends.push(() => server.stop());
    const signIn = async (): Promise<WebSocket> => {
      const socket = new WebSocket(`ws://127.0.0.1:${port}/ahp?token=${token}`);
      ends.push(() => socket.terminate());
      await once(socket, 'open');
      return socket;
    };
    const silent = async (): Promise<Socket> => {
      const socket = connect(port, '127.0.0.1');
      ends.push(() => socket.destroy());
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      return socket;
    };
    const clients = [await signIn(), await signIn(), await signIn(), await signIn(), await signIn()];
    const unauthenticated = [await silent(), await silent(), await silent(), await silent()];
    const [oldest] = unauthenticated;
    if (oldest === undefined) throw new Error('no socket was opened');
    oldest.resume();
    const gone = once(oldest, 'close');
    clients.push(await signIn());
    await gone;
    expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
    expect(clients.map(({ readyState }) => readyState)).toEqual(clients.map(() => WebSocket.OPEN));
  });
});
