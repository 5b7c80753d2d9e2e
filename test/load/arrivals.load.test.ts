// Clients that request large answers and do not read them delay later clients until they read, leave or are disconnected. The host builds a
// bounded amount of answers.
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
/** 64 MiB of unread answers, each about 7 MB, four more under construction, and parts in the system's buffers. */
const MOST_ANSWERED = 18;
/** Smaller than any answer, and larger than the host's liveness check. */
const NO_ANSWER_BYTES = 1_024;

/** A client that subscribes to a chat and reads no answer. */
class DeafClient {
  readonly #client: WireClient;
  readonly #port: number;

  private constructor(client: WireClient, port: number) {
    this.#client = client;
    this.#port = port;
  }

  static async connect(url: string, index: number): Promise<DeafClient> {
    const client = await WireClient.connect(url, `deaf-${index}`);
    // The host may cut this client off.
    client.socket.on('error', () => undefined);
    onTestFinished(() => client.socket.terminate());
    return new DeafClient(client, portOf(client));
  }

  ask(channel: string): void {
    this.#client.socket.pause();
    void this.#client.request('subscribe', { channel });
  }

  /** The client's state by the bytes in the system's buffers. `gone`: disconnected, as after ten seconds without a read. */
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
  // No public property leads to the TCP socket, whose port identifies it.
  const below: unknown = Reflect.get(socket, '_socket');
  const port: unknown = typeof below === 'object' && below !== null && Reflect.get(below, 'localPort');
  if (typeof port !== 'number') throw new Error('a WebSocket without a socket');
  return port;
}

/** Bytes in the receive buffer of each local socket, by its port. */
async function waitingBytes(): Promise<Map<number, number>> {
  const rows = (await readFile(table, 'utf8')).matchAll(
    /^ *\d+: [0-9A-F]+:([0-9A-F]+) \S+ 01 \S+:([0-9A-F]+)/gm,
  );
  return new Map(
    Array.from(rows, ([, port = '', bytes = '']) => [Number.parseInt(port, 16), Number.parseInt(bytes, 16)]),
  );
}

/** Checks that answers went out in order and within the bound, on a machine of any speed and with any clients already disconnected. */
function expectInOrder(states: readonly string[]): void {
  const order = ['gone', 'answered', 'waiting'];
  expect(states).toEqual(states.toSorted((one, other) => order.indexOf(one) - order.indexOf(other)));
  const answered = states.slice(0, DEAF).filter((each) => each === 'answered');
  expect(answered.length).toBeLessThanOrEqual(MOST_ANSWERED);
}

test.skipIf(!isThere)(
  'of many clients that do not read, the first get answers up to the bound; the last client gets its answer when they leave',
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
    /** Includes the last client, which reads. Its state is taken first, so that the earlier clients have had time for their answers. */
    const lookAtAll = async () => {
      const state = isAnswered ? 'answered' : 'waiting';
      return [...(await look()), state];
    };
    const answered = async (): Promise<number> => (await look()).filter((each) => each === 'answered').length;
    // One after another: the next request follows when the host has the one before.
    for (const client of deaf) {
      client.ask(chat);
      await owner.request('ping', { channel: 'ahp-root://' });
    }
    const answer = last.request<object>('subscribe', { channel: chat }).then((result) => {
      isAnswered = true;
      return result;
    });
    await expect.poll(answered, { timeout: 9_000 }).toBeGreaterThan(7);
    // Without the bound the host built all answers in half a second.
    for (const end = performance.now() + 2_000; performance.now() < end; ) {
      await owner.request('listSessions', { channel: 'ahp-root://' });
      expect(await answered()).toBeLessThanOrEqual(MOST_ANSWERED);
    }
    expectInOrder(await lookAtAll());
    // The next clients get the free places.
    const first = await look();
    for (const [index, client] of deaf.entries()) if (first[index] === 'answered') client.leave();
    const next = first.indexOf('waiting');
    // After a long stall of the machine the host has disconnected the others, and no client waits.
    await expect.poll(async () => (await look())[next] ?? 'none', { timeout: 9_000 }).not.toBe('waiting');
    expectInOrder(await lookAtAll());
    for (const client of deaf) client.leave();
    expect(await answer).toHaveProperty('snapshot.state.turns.length', 3);
    await Promise.all([owner.close(), last.close()]);
  },
  60_000,
);
