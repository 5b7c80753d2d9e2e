import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Transport } from '@agenthost/rpc';
import { type Entry, type FrameEntry, isObject, type Message, parsed, shown } from '../recording/entry.ts';
import { REMOVED } from '../recording/secrets.ts';
import { FreshIds } from './fresh-ids.ts';

/** Requests that make a channel with a URI of the client's choice, and the parameter with it. */
const CREATING: Readonly<Record<string, string>> = {
  createSession: 'channel',
  createChat: 'chat',
  createTerminal: 'channel',
};

/** Longest wait for an answer or a name of the host's. Then the replay continues without it. */
const PATIENCE_MS = 10_000;

/** Longest wait for an envelope. A kind of envelope that does not come is not waited for again. */
const ENVELOPE_PATIENCE_MS = 3_000;

/** Actions that each host splits in its own way. */
const APPENDING: ReadonlySet<string> = new Set([
  'chat/delta',
  'chat/reasoning',
  'chat/toolCallDelta',
  'terminal/data',
]);

/** Options of {@link replay}. */
export interface ReplayOptions {
  /** Opens one connection to the host. */
  open(signal: AbortSignal): Promise<Transport>;
  /** 1 is as fast as recorded, 2 twice as fast; 0 waits only for answers. */
  readonly speed: number;
  readonly signal: AbortSignal;
  /** Called with each frame of the replay. */
  onFrame?(entry: FrameEntry): void;
}

/** An answer that is of another kind than the recorded one. */
export interface Difference {
  readonly connection: number;
  readonly method: string;
  /** `result`, or the code of the error; `none` without an answer. */
  readonly recorded: string;
  readonly present: string;
}

/** The result of a replay. */
export interface ReplayOutcome {
  readonly sentCount: number;
  /** Frames that were not sent, because a secret in them was removed. */
  readonly skippedCount: number;
  readonly differences: readonly Difference[];
}

/**
 * Sends the client's frames of a recording to a host, with fresh ids, in their order. A frame waits for its time, for
 * the answers that came before it in the recording, and for names in it that the host makes. Rejects when a connection
 * cannot be opened or the signal aborts.
 */
export async function replay(entries: readonly Entry[], options: ReplayOptions): Promise<ReplayOutcome> {
  const ids = new FreshIds(() => randomBytes(8).toString('hex'));
  prepare(entries, ids);
  const players = new Map<number, Player>();
  let [sentCount, skippedCount] = [0, 0];
  const [first] = entries;
  const startedAt = performance.now();
  try {
    for (const entry of entries) {
      options.signal.throwIfAborted();
      if ('droppedCount' in entry) continue;
      if ('closed' in entry) {
        players.get(entry.connection)?.close();
        continue;
      }
      if (entry.message === undefined) continue;
      let player = players.get(entry.connection);
      if (player === undefined) {
        player = new Player(entry.connection, await options.open(options.signal), ids, options);
        players.set(entry.connection, player);
      }
      if (entry.direction === 'host-to-client') {
        await player.expect(entry.message);
        continue;
      }
      if (JSON.stringify(entry.message).includes(REMOVED)) {
        skippedCount += 1;
        player.skip(entry.message);
        continue;
      }
      const dueMs = options.speed > 0 ? (entry.timeMs - (first?.timeMs ?? 0)) / options.speed : 0;
      const leftMs = startedAt + dueMs - performance.now();
      if (leftMs > 0) await wait(leftMs, undefined, { signal: options.signal });
      if (await player.send(entry.message)) sentCount += 1;
    }
  } finally {
    for (const player of players.values()) player.close();
  }
  return {
    sentCount,
    skippedCount,
    differences: [...players.values()].flatMap(({ differences }) => differences),
  };
}

/** Gives fresh names to clients and to what they create, and notes the host's names. */
function prepare(entries: readonly Entry[], ids: FreshIds): void {
  const frames = entries.flatMap((entry) =>
    'direction' in entry && entry.message !== undefined ? [entry] : [],
  );
  for (const { direction, message = {} } of frames) {
    const { method, params } = message;
    if (direction !== 'client-to-host' || typeof method !== 'string' || !isObject(params)) continue;
    const creating = Object.hasOwn(CREATING, method) ? CREATING[method] : undefined;
    for (const name of [params['clientId'], params['x-epoch'], creating && params[creating]])
      if (typeof name === 'string') ids.renew(name);
  }
  for (const { direction, message } of frames) {
    const { result, params } = message ?? {};
    if (direction === 'client-to-host') ids.say(params);
    else ids.expect(result);
    if (direction === 'host-to-client' && isObject(params)) ids.expect(params['action']);
  }
}

/** One connection of the replay. */
class Player {
  readonly differences: Difference[] = [];
  readonly #connection: number;
  readonly #transport: Transport;
  readonly #ids: FreshIds;
  readonly #options: ReplayOptions;
  /** Methods of requests sent, by id, until the recorded answer was compared. */
  readonly #asked = new Map<string, string>();
  readonly #answers = new Map<string, Message>();
  /** Recorded and present envelopes by channel and type, in order; their names are learned in pairs. */
  readonly #envelopes = new Map<string, { readonly recorded: unknown[]; readonly present: unknown[] }>();
  /** Kinds of envelopes that did not come in time once. */
  readonly #missed = new Set<string>();
  #lastSeq = 0;
  #isClosed = false;
  #wake: () => void = () => undefined;

  constructor(connection: number, transport: Transport, ids: FreshIds, options: ReplayOptions) {
    this.#connection = connection;
    this.#transport = transport;
    this.#ids = ids;
    this.#options = options;
    transport.start({
      onFrame: (text) => this.#take(text),
      onClose: () => {
        this.#isClosed = true;
        this.#wake();
      },
    });
  }

  /** Sends a recorded message with the present names. False: it answers a request that the host did not send. */
  async send(recorded: Message): Promise<boolean> {
    const { id, method, params } = recorded;
    if (typeof method !== 'string') return false;
    await this.#until(() => !this.#ids.isAwaited(params));
    const present = this.#ids.replace(params);
    const isReconnect = method === 'reconnect' && isObject(present);
    const message = {
      ...recorded,
      ...(params !== undefined && {
        params: isReconnect ? { ...present, lastSeenServerSeq: this.#lastSeq } : present,
      }),
    };
    if (id !== undefined) this.#asked.set(shown(id), method);
    this.#note('client-to-host', message);
    this.#transport.send(JSON.stringify(message));
    return true;
  }

  /** A request that is not sent has no answer to compare. */
  skip({ id }: Message): void {
    if (id !== undefined) this.#asked.delete(shown(id));
  }

  /** Waits for the present counterpart of a recorded message of the host, where it is an answer; compares and learns. */
  async expect(recorded: Message): Promise<void> {
    const { id, method, params } = recorded;
    if (method === 'action' && isObject(params) && isObject(params['action'])) {
      await this.#expectEnvelope(params, params['action']);
      return;
    }
    if (method !== undefined || id === undefined) return;
    const key = shown(id);
    const asked = this.#asked.get(key);
    if (asked === undefined) return;
    await this.#until(() => this.#answers.has(key));
    const answer = this.#answers.get(key);
    this.#asked.delete(key);
    this.#answers.delete(key);
    this.#ids.learn(recorded['result'], answer?.['result']);
    const [before, present] = [kindOf(recorded), kindOf(answer)];
    if (before !== present)
      this.differences.push({ connection: this.#connection, method: asked, recorded: before, present });
  }

  close(): void {
    this.#transport.close();
  }

  #take(text: string): void {
    const message = parsed(text);
    if (!isObject(message)) return;
    this.#note('host-to-client', message);
    const { id, method, params, result } = message;
    if (method === undefined && id !== undefined) this.#answers.set(shown(id), message);
    if (isObject(result) && typeof result['serverSeq'] === 'number') this.#lastSeq = result['serverSeq'];
    if (typeof method === 'string' && id !== undefined) this.#refuse(id);
    if (method === 'action' && isObject(params) && isObject(params['action'])) {
      if (typeof params['serverSeq'] === 'number') this.#lastSeq = params['serverSeq'];
      this.#pair(params, params['action'], 'present');
    }
    this.#wake();
  }

  /** Answers a request of the host with an error: the recorded answer belongs to another machine. */
  #refuse(id: unknown): void {
    const error = { code: -32601, message: 'A replay serves no resources' };
    this.#transport.send(JSON.stringify({ jsonrpc: '2.0', id, error }));
  }

  /** Waits for the present counterpart of an envelope. It does not wait for appends: hosts split them differently. */
  async #expectEnvelope({ channel }: Message, action: Message): Promise<void> {
    const present = { channel: this.#ids.replace(channel) };
    const key = keyOf(present, action);
    this.#pair(present, action, 'recorded');
    if (APPENDING.has(shown(action['type'])) || this.#missed.has(key)) return;
    await this.#until(
      () => this.#envelopes.get(key)?.recorded.includes(action) !== true,
      ENVELOPE_PATIENCE_MS,
    );
    if (this.#envelopes.get(key)?.recorded.includes(action) === true) this.#missed.add(key);
  }

  /** Learns names from two envelopes of one channel and type, in the order of each side. */
  #pair(on: Message, action: Message, side: 'recorded' | 'present'): void {
    const key = keyOf(on, action);
    const waiting = this.#envelopes.get(key) ?? { recorded: [], present: [] };
    this.#envelopes.set(key, waiting);
    waiting[side].push(action);
    if (waiting.recorded.length === 0 || waiting.present.length === 0) return;
    this.#ids.learn(waiting.recorded.shift(), waiting.present.shift());
  }

  #note(direction: FrameEntry['direction'], message: Message): void {
    this.#options.onFrame?.({ timeMs: Date.now(), connection: this.#connection, direction, message });
  }

  /** Waits until a condition holds, the connection is closed, or the time limit is over. */
  async #until(isSo: () => boolean, patienceMs = PATIENCE_MS): Promise<void> {
    const endAt = performance.now() + patienceMs;
    while (!isSo() && !this.#isClosed && performance.now() < endAt) {
      const stop = new AbortController();
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      const late = wait(endAt - performance.now(), undefined, {
        signal: AbortSignal.any([this.#options.signal, stop.signal]),
      }).catch(() => undefined);
      await Promise.race([woken, late]);
      stop.abort();
      this.#options.signal.throwIfAborted();
    }
  }
}

/** Channel and type of an envelope. */
const keyOf = ({ channel }: Message, { type }: Message): string => `${shown(channel)} ${shown(type)}`;

/** `result`, or the code of the error. */
function kindOf(answer: Message | undefined): string {
  if (answer === undefined) return 'none';
  return isObject(answer['error']) ? shown(answer['error']['code']) : 'result';
}
