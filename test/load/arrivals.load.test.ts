// Who asks for much and does not read it holds up who comes later, until it reads, leaves or is cut off; and no more is made than a bound.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { expect, onTestFinished, test } from 'vitest';
import { WireClient } from '../../bench/wire.ts';
import { wireTurn } from '../../bench/wire-turn.ts';
import { CrowdedHost } from './crowded-host.ts';

const table = '/proc/net/tcp';
const isThere = existsSync(table);
if (!isThere && process.env['REQUIRE_ALL'] === '1') throw new Error(`${table} is needed`);
if (!isThere) console.warn(`skipped: no ${table}`);

const DEAF = 30;
/** 64 MiB of answers that nobody reads, each of some 7 MB, and four that are made meanwhile; the system's buffers take some of each. */
const MOST_ANSWERED = 18;
/** Less than any of them, and more than what asks a client for a sign of life. */
const NO_ANSWER_BYTES = 1_024;

/** A client that asks for a chat and reads no answer. */
class DeafClient {
  readonly #client: WireClient;
  readonly #port: number;

  private constructor(client: WireClient, port: number) {
    this.#client = client;
    this.#port = port;
  }

  static async connect(url: string, index: number): Promise<DeafClient> {
    const client = await WireClient.connect(url, `deaf-${index}`);
    // Cut off in the end, or not.
    client.socket.on('error', () => undefined);
    onTestFinished(() => client.socket.terminate());
    return new DeafClient(client, portOf(client));
  }

  ask(channel: string): void {
    this.#client.socket.pause();
    void this.#client.request('subscribe', { channel });
  }

  /** By what lies in the system's buffers; `gone`: cut off, as a host does with who has not read for ten seconds. */
  look(waiting: ReadonlyMap<number, number>): 'gone' | 'answered' | 'waiting' {
    const bytes = waiting.get(this.#port);
    if (bytes === undefined) return 'gone';
    return bytes > NO_ANSWER_BYTES ? 'answered' : 'waiting';
  }

  leave(): void {
    this.#client.socket.terminate();
  }
}

function portOf({ socket }: WireClient): number {
  // The only way to the socket below: it is looked for by its port.
  const below: unknown = Reflect.get(socket, '_socket');
  const port: unknown = typeof below === 'object' && below !== null && Reflect.get(below, 'localPort');
  if (typeof port !== 'number') throw new Error('a WebSocket without a socket');
  return port;
}

/** Bytes that wait to be read from each local socket, by its port. */
async function waitingBytes(): Promise<Map<number, number>> {
  const rows = (await readFile(table, 'utf8')).matchAll(
    /^ *\d+: [0-9A-F]+:([0-9A-F]+) \S+ 01 \S+:([0-9A-F]+)/gm,
  );
  return new Map(
    Array.from(rows, ([, port = '', bytes = '']) => [Number.parseInt(port, 16), Number.parseInt(bytes, 16)]),
  );
}

/** The first ones have theirs, no more than a bound, and nobody is out of turn: whatever the machine's speed, and whoever was cut off by then. */
function expectInOrder(states: readonly string[]): void {
  const order = ['gone', 'answered', 'waiting'];
  expect(states).toEqual(states.toSorted((one, other) => order.indexOf(one) - order.indexOf(other)));
  const answered = states.slice(0, DEAF).filter((each) => each === 'answered');
  expect(answered.length).toBeLessThanOrEqual(MOST_ANSWERED);
}

test.skipIf(!isThere)(
  'of many clients that do not read, the first get their answers, as many as the bound lets; who came last gets one when they leave',
  async () => {
    const host = await CrowdedHost.start();
    const { owner, chat } = await host.open();
    for (let turn = 0; turn < 3; turn += 1) await wireTurn(owner, chat, 'stream 4 every 0 of 600000');
    const deaf: DeafClient[] = [];
    for (let index = 0; index < DEAF; index += 1) deaf.push(await DeafClient.connect(host.url, index));
    const last = await WireClient.connect(host.url, 'last');
    let isAnswered = false;
    const look = async () => {
      const waiting = await waitingBytes();
      return deaf.map((client) => client.look(waiting));
    };
    /** With who came last, who reads: looked at first, so that whoever is before them has had their turn. */
    const lookAtAll = async () => {
      const state = isAnswered ? 'answered' : 'waiting';
      return [...(await look()), state];
    };
    const answered = async (): Promise<number> => (await look()).filter((each) => each === 'answered').length;
    // In order, each when the host has the one before.
    for (const client of deaf) {
      client.ask(chat);
      await owner.request('ping', { channel: 'ahp-root://' });
    }
    const answer = last.request<object>('subscribe', { channel: chat }).then((result) => {
      isAnswered = true;
      return result;
    });
    await expect.poll(answered, { timeout: 9_000 }).toBeGreaterThan(7);
    // Without a bound all of them were made in half a second.
    for (const end = performance.now() + 2_000; performance.now() < end; ) {
      await owner.request('listSessions', { channel: 'ahp-root://' });
      expect(await answered()).toBeLessThanOrEqual(MOST_ANSWERED);
    }
    expectInOrder(await lookAtAll());
    // Their places go to the next ones.
    const first = await look();
    for (const [index, client] of deaf.entries()) if (first[index] === 'answered') client.leave();
    const next = first.indexOf('waiting');
    // Nobody waits any more where the machine stood still for so long that the host cut off the others.
    await expect.poll(async () => (await look())[next] ?? 'none', { timeout: 9_000 }).not.toBe('waiting');
    expectInOrder(await lookAtAll());
    for (const client of deaf) client.leave();
    expect(await answer).toHaveProperty('snapshot.state.turns.length', 3);
    await Promise.all([owner.close(), last.close()]);
  },
  60_000,
);
