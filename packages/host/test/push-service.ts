import { createDecipheriv, createECDH, createHmac, createPublicKey, verify } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { PushPayload, PushSubscriptionInfo } from '@agenthost/protocol';
import { onTestFinished } from 'vitest';
import { type HostFixture, ROOT } from './host-fixture.ts';
import type { RawClient, RawFrame } from './raw-client.ts';

/** A push as the service got it, decrypted with the keys of its device. */
export interface ReceivedPush {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly payload: PushPayload;
}

/** A browser's subscription, with its private key. */
export interface TestBrowser {
  readonly subscription: PushSubscriptionInfo;
  readonly ecdh: ReturnType<typeof createECDH>;
  readonly auth: Buffer;
}

/** A push service on loopback. It decrypts pushes, and answers as the test says. */
export class PushService {
  /** Without tests. */
  readonly received: ReceivedPush[] = [];
  readonly tests: ReceivedPush[] = [];
  readonly browsers = new Map<string, TestBrowser>();
  /** Statuses of the next answers; 201 when there are none. */
  readonly statuses: number[] = [];
  answerHeaders: Record<string, string> = {};
  answerText = '';
  readonly #server: Server;
  #openCount = 0;

  private constructor() {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const body = Buffer.concat(chunks);
        const path = request.url ?? '';
        const browser = this.browsers.get(path);
        if (browser === undefined) throw new Error(`nobody subscribed at ${path}`);
        const payload: PushPayload = JSON.parse(decrypt(body, browser));
        const list = payload.kind === 'test' ? this.tests : this.received;
        list.push({ path, headers: request.headers, body, payload });
        response.writeHead(this.statuses.shift() ?? 201, this.answerHeaders).end(this.answerText);
      });
    });
    this.#server.on('connection', (socket) => {
      this.#openCount += 1;
      socket.on('close', () => {
        this.#openCount -= 1;
      });
    });
  }

  /** Starts one; it is closed after the test. */
  static async start(): Promise<PushService> {
    const service = new PushService();
    await new Promise<void>((resolve) => service.#server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => new Promise<void>((resolve) => service.#server.close(() => resolve())));
    return service;
  }

  get url(): string {
    const address = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${address.port}`;
  }

  /** Subscribes a browser. */
  browser(path: string): TestBrowser {
    const ecdh = createECDH('prime256v1');
    ecdh.generateKeys();
    const auth = Buffer.from(path.padEnd(16, '.').slice(0, 16));
    const browser = {
      ecdh,
      auth,
      subscription: {
        endpoint: `${this.url}${path}`,
        keys: { p256dh: ecdh.getPublicKey('base64url'), auth: auth.toString('base64url') },
      },
    };
    this.browsers.set(path, browser);
    return browser;
  }

  /** Whether this many pushes have arrived and the host has read all answers: it closes each connection then. */
  has(count: number): boolean {
    return this.received.length >= count && this.#openCount === 0;
  }
}

/** The pushes, once this many have arrived and the host has noted their outcomes. */
export async function arrived(
  host: HostFixture,
  service: PushService,
  count: number,
): Promise<readonly ReceivedPush[]> {
  await eventually(host, () => service.has(count));
  await host.run();
  return service.received;
}

/** Real sockets are not a part of the simulated time: they take any number of iterations of the event loop. */
async function eventually(host: HostFixture, isTrue: () => boolean): Promise<void> {
  for (;;) {
    await host.run();
    if (isTrue()) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** RFC 8188 and RFC 8291, one record. Written independently of the product's library. */
function decrypt(body: Buffer, { ecdh, auth }: TestBrowser): string {
  const salt = body.subarray(0, 16);
  const keyLength = body.readUInt8(20);
  const sender = body.subarray(21, 21 + keyLength);
  const sealed = body.subarray(21 + keyLength);
  const hmac = (key: Buffer, data: Buffer): Buffer => createHmac('sha256', key).update(data).digest();
  const info = (text: string): Buffer => Buffer.concat([Buffer.from(`${text}\0`), Buffer.from([1])]);
  const shared = ecdh.computeSecret(sender);
  const keyInfo = Buffer.concat([
    Buffer.from('WebPush: info\0'),
    ecdh.getPublicKey(),
    sender,
    Buffer.from([1]),
  ]);
  const secret = hmac(hmac(auth, shared), keyInfo);
  const pseudoRandom = hmac(salt, secret);
  const key = hmac(pseudoRandom, info('Content-Encoding: aes128gcm')).subarray(0, 16);
  const nonce = hmac(pseudoRandom, info('Content-Encoding: nonce')).subarray(0, 12);
  const decipher = createDecipheriv('aes-128-gcm', key, nonce);
  decipher.setAuthTag(sealed.subarray(-16));
  const plain = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]);
  return plain.toString('utf8', 0, plain.lastIndexOf(2));
}

/** The claims of a push's VAPID token, whose signature is checked with the host's key. */
export function vapidClaims({ headers }: ReceivedPush, publicKey: string): Record<string, unknown> {
  const [, token = '', key = ''] = /^vapid t=([^,]+), ?k=(.+)$/.exec(headers.authorization ?? '') ?? [];
  if (key !== publicKey) throw new Error(`signed with ${key}`);
  const [head = '', claims = '', signature = ''] = token.split('.');
  const point = Buffer.from(publicKey, 'base64url');
  const jwk = {
    kty: 'EC',
    crv: 'P-256',
    x: point.toString('base64url', 1, 33),
    y: point.toString('base64url', 33),
  };
  const isValid = verify(
    'sha256',
    Buffer.from(`${head}.${claims}`),
    { key: createPublicKey({ format: 'jwk', key: jwk }), dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  );
  if (!isValid) throw new Error('the signature is wrong');
  return JSON.parse(Buffer.from(claims, 'base64url').toString('utf8'));
}

/** Tests a device; resolves with the answer of the host. */
export async function testPush(
  host: HostFixture,
  client: RawClient,
  id: string,
): Promise<Pick<RawFrame, 'result' | 'error'> | undefined> {
  const asked = client.ask('x-testPush', { channel: ROOT, id });
  await eventually(host, () => client.answerTo(asked) !== undefined);
  return client.answerTo(asked);
}
