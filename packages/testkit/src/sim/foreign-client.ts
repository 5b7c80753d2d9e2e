import {
  type ActionEnvelope,
  type ChannelKind,
  type ChannelState,
  type ClientAction,
  kindOfScheme,
  ROOT_URI,
  reduceMirrored,
  type Snapshot,
} from '@agenthost/protocol';
import type { ControlledNetwork, Link } from '../controlled-network.ts';
import type { SeededRandom } from '../seeded-random.ts';
import type { SimulatedClock } from '../simulated-clock.ts';
import type { FaultLog } from './faults.ts';
import type { Ledger } from './ledger.ts';

type State = ChannelState[ChannelKind];

interface Answer {
  readonly id?: number;
  readonly method?: string;
  readonly params?: ActionEnvelope;
  readonly result?: {
    readonly snapshots?: readonly Snapshot[];
    readonly snapshot?: Snapshot;
    readonly type?: string;
    readonly actions?: readonly ActionEnvelope[];
    readonly missing?: readonly string[];
  };
}

/**
 * A client of another make: JSON-RPC by hand, without epoch, views, delays or any other extension. It reduces by the shared reducers with
 * its own clock, dispatches without predicting, never resends, and counts `clientSeq` from 1 on each connection.
 */
export class ForeignClient {
  readonly name: string;
  readonly random: SeededRandom;
  readonly states = new Map<string, { kind: ChannelKind; state: State; seq: number }>();
  readonly #parts: { clock: SimulatedClock; network: ControlledNetwork; ledger: Ledger; faults: FaultLog };
  readonly #wanted = new Set<string>();
  #link: Link | undefined;
  #isOnline = false;
  #lastSeen: number | undefined;
  #nextId = 0;
  #clientSeq = 0;
  #echoed = new Set<number>();
  readonly #asked = new Map<number, string>();

  constructor(parts: {
    name: string;
    random: SeededRandom;
    clock: SimulatedClock;
    network: ControlledNetwork;
    ledger: Ledger;
    faults: FaultLog;
  }) {
    this.name = parts.name;
    this.random = parts.random;
    this.#parts = parts;
  }

  get isOnline(): boolean {
    return this.#isOnline;
  }

  /** True while an answer is outstanding. */
  get isWaiting(): boolean {
    return this.#asked.size > 0;
  }

  get link(): Link | undefined {
    return this.#link?.isOpen === true ? this.#link : undefined;
  }

  /** Connects unless it is, anew or by `reconnect` as chance has it. Nothing while the host is down. */
  connect(): void {
    const { network, ledger } = this.#parts;
    if (this.#link !== undefined || network.accept === undefined) return;
    const link = network.connect();
    this.#link = link;
    this.#clientSeq = 0;
    this.#echoed = new Set();
    this.#asked.clear();
    const line = ledger.follow(this.name, this.name);
    link.toHost.tap = line.toHost;
    link.toClient.tap = line.toClient;
    link.client.start({
      onFrame: (text) => this.#take(JSON.parse(text)),
      onClose: () => {
        if (this.#link !== link) return;
        this.#link = undefined;
        this.#isOnline = false;
        this.#asked.clear();
      },
    });
    const subscriptions = [...this.#wanted];
    if (this.#lastSeen !== undefined && this.random.chance(0.6)) {
      const params = { clientId: this.name, lastSeenServerSeq: this.#lastSeen, subscriptions };
      this.#ask('reconnect', { channel: ROOT_URI, ...params });
      return;
    }
    this.states.clear();
    this.#ask('initialize', {
      channel: ROOT_URI,
      clientId: this.name,
      protocolVersions: ['0.5.2'],
      initialSubscriptions: subscriptions,
    });
  }

  /** Subscribes for good. */
  hold(uri: string): void {
    this.#wanted.add(uri);
    if (this.#isOnline) this.#ask('subscribe', { channel: uri });
  }

  dispatch(channel: string, action: ClientAction): void {
    if (!this.#isOnline) return;
    this.#clientSeq += 1;
    this.#send({ method: 'dispatchAction', params: { channel, clientSeq: this.#clientSeq, action } });
  }

  close(): void {
    this.#link?.client.close();
    this.#link = undefined;
    this.#isOnline = false;
    this.#asked.clear();
  }

  #ask(method: string, params: object): void {
    this.#nextId += 1;
    this.#asked.set(this.#nextId, method);
    this.#send({ id: this.#nextId, method, params });
  }

  #send(message: object): void {
    this.#link?.client.send(JSON.stringify({ jsonrpc: '2.0', ...message }));
  }

  #take({ id, method, params, result }: Answer): void {
    if (method === 'action' && params !== undefined) this.#reduce(params);
    if (id === undefined || method !== undefined) return;
    const asked = this.#asked.get(id);
    this.#asked.delete(id);
    if (asked === undefined || result === undefined) {
      // A refused handshake may follow by another; this one begins anew on a new connection.
      if (asked === 'reconnect' || asked === 'initialize') this.#restart();
      return;
    }
    if (asked === 'initialize' || result.type === 'snapshot') this.states.clear();
    for (const uri of result.missing ?? []) this.#lose(uri);
    for (const snapshot of [...(result.snapshots ?? []), result.snapshot ?? []].flat()) this.#show(snapshot);
    for (const envelope of result.actions ?? []) this.#reduce(envelope);
    if (asked !== 'subscribe') this.#isOnline = true;
  }

  #restart(): void {
    this.#lastSeen = undefined;
    this.close();
  }

  #lose(uri: string): void {
    this.states.delete(uri);
    this.#wanted.delete(uri);
  }

  #show({ resource, state, fromSeq }: Snapshot): void {
    const kind = kindOfScheme(resource);
    if (kind !== 'root' && kind !== 'session' && kind !== 'chat' && kind !== 'terminal')
      throw new Error(`a snapshot of ${resource}`);
    this.states.set(resource, { kind, state, seq: fromSeq });
    this.#lastSeen = Math.max(this.#lastSeen ?? 0, fromSeq);
  }

  #reduce(envelope: ActionEnvelope): void {
    const { channel, action, serverSeq, origin, rejectionReason } = envelope;
    this.#lastSeen = Math.max(this.#lastSeen ?? 0, serverSeq);
    if (origin?.clientId === this.name) this.#noteEcho(envelope, origin.clientSeq);
    const held = this.states.get(channel);
    if (held === undefined || rejectionReason !== undefined || serverSeq <= held.seq) return;
    held.seq = serverSeq;
    held.state = reduceMirrored(held.kind, held.state, action, this.#parts.clock.now());
  }

  #noteEcho({ serverSeq }: ActionEnvelope, clientSeq: number): void {
    // A replay brings echoes of before, under numbers of another connection.
    if (!this.#isOnline) return;
    if (clientSeq > this.#clientSeq || this.#echoed.has(clientSeq))
      this.#parts.faults.note(
        'once',
        `${this.name} was echoed ${clientSeq} by ${serverSeq}, not sent or echoed before`,
      );
    this.#echoed.add(clientSeq);
  }
}
