import { type AhpClient, createClient, type Mirror } from '@agenthost/client';
import type { ChannelKind, ClientAction, ClientToHostRequests } from '@agenthost/protocol';
import { RpcError } from '@agenthost/rpc';
import type { ControlledNetwork, Link } from '../controlled-network.ts';
import type { Deed } from '../deeds/deed-counts.ts';
import { observeTransport } from '../observe-transport.ts';
import { SeededRandom } from '../seeded-random.ts';
import type { SimulatedClock } from '../simulated-clock.ts';
import type { Ledger } from './ledger.ts';
import type { Report } from './report.ts';
import type { Trace } from './trace.ts';

/** How a client looks at the chats of the simulated session. */
export interface SimView {
  readonly turns?: number;
  readonly maxLatencyMs?: number;
}

export interface Dispatched {
  readonly channel: string;
  readonly action: ClientAction;
  outcome?: string;
}

/** One optimistic client: the real library on a simulated network, and what became of all that it did. */
export class SimClient {
  readonly name: string;
  readonly resends: boolean;
  readonly client: AhpClient;
  readonly random: SeededRandom;
  readonly dispatched: Dispatched[] = [];
  readonly faults: string[] = [];
  readonly #report: Report;
  readonly #mirrors = new Map<string, Mirror<ChannelKind>>();
  readonly #pending = new Map<string, number>();
  #link: Link | undefined;

  constructor(parts: {
    name: string;
    seed: number;
    clock: SimulatedClock;
    network: ControlledNetwork;
    report: Report;
    ledger: Ledger;
    trace: Trace;
    /** Whether what has no answer is sent again after a drop. */
    resends: boolean;
  }) {
    const { name, clock, network, report } = parts;
    this.name = name;
    this.resends = parts.resends;
    this.#report = report;
    this.random = SeededRandom.of(parts.seed, name);
    const ids = SeededRandom.of(parts.seed, `${name}/ids`);
    this.client = createClient({
      clientId: name,
      clock,
      random: this.random.next,
      newId: () => ids.hex(16),
      resend: parts.resends,
      onError: (error, where) => {
        if (!isGone(error)) this.faults.push(`${name}: ${where}: ${String(error)}`);
      },
      backoff: { minMs: 50, maxMs: 2_000 },
      transport: async () => {
        this.#link = network.connect();
        return observeTransport(this.#link.client, {
          envelope: (envelope) => parts.ledger.note(envelope),
          initialized: () => report.count('initializes'),
          reconnected: (type) => report.count(type === 'replay' ? 'replayReconnects' : 'snapshotReconnects'),
          frame: (direction, text) => parts.trace.note(name, `${direction === 'in' ? '←' : '→'} ${text}`),
          closed: ({ code, reason }) => parts.trace.note(name, `closed ${code} ${reason}`),
        });
      },
    });
    let wasOnline = false;
    this.client.onStatus((status) => {
      if (wasOnline && status.state === 'waiting') report.count('drops');
      wasOnline = status.state === 'online';
      if (status.state === 'closed' || status.state === 'replaced') {
        this.faults.push(`${name}: the client gave up: ${status.error.message}`);
      }
    });
  }

  /** The link of the present connection. */
  get link(): Link | undefined {
    return this.#link?.isOpen === true ? this.#link : undefined;
  }

  get isOnline(): boolean {
    return this.client.status.state === 'online';
  }

  /** Actions without an outcome. */
  get pendingCount(): number {
    let count = 0;
    for (const each of this.#pending.values()) count += each;
    return count;
  }

  mirrors(): Mirror<ChannelKind>[] {
    return [...this.#mirrors.values()];
  }

  mirror<K extends ChannelKind>(uri: string, kind: K): Mirror<K> | undefined {
    const found = this.#mirrors.get(uri);
    return found !== undefined && isOf(found, kind) ? found : undefined;
  }

  /** Holds a channel; a refusal or a lost connection leaves it unheld. */
  async hold(uri: string, view: SimView = {}): Promise<void> {
    try {
      const mirror = await this.client.subscribe(uri, view);
      if (this.#mirrors.has(uri)) return mirror.dispose();
      this.#mirrors.set(uri, mirror);
      mirror.onChange(() => {
        if (mirror.isLost) this.letGo(uri);
      });
      mirror.onAction(({ origin }) => {
        const isForeign = origin?.clientId !== this.name;
        if (isForeign && (this.#pending.get(uri) ?? 0) > 0) this.#report.count('rebases');
      });
    } catch (error) {
      if (!isConnectionLost(error) && !isGone(error)) throw error;
    }
  }

  /** Gives a channel back. */
  letGo(uri: string): void {
    this.#mirrors.get(uri)?.dispose();
    this.#mirrors.delete(uri);
  }

  /** Sends a command; what becomes of it shows in state, and a lost connection or a refusal is the schedule's doing. */
  command<M extends 'createChat' | 'disposeChat' | 'createSession' | 'disposeSession'>(
    deed: Deed,
    method: M,
    params: ClientToHostRequests[M]['params'],
    done?: () => void,
  ): void {
    this.#report.deeds.answered(deed, this.client.request(method, params)).then(
      (isDone) => {
        if (isDone) done?.();
      },
      (error: unknown) => this.faults.push(String(error)),
    );
  }

  dispatch(channel: string, action: ClientAction): void {
    const entry: Dispatched = { channel, action };
    this.dispatched.push(entry);
    this.#report.count('dispatches');
    this.#pending.set(channel, (this.#pending.get(channel) ?? 0) + 1);
    void this.client.dispatch(channel, action).then((outcome) => {
      this.#pending.set(channel, (this.#pending.get(channel) ?? 0) - 1);
      entry.outcome = outcome.outcome;
      if (outcome.outcome === 'rejected') this.#report.rejected(outcome.code);
      else this.#report.count(outcome.outcome);
      this.#report.deeds.settled(action, outcome);
    });
  }
}

const isOf = <K extends ChannelKind>(
  mirror: Mirror<ChannelKind>,
  kind: K,
): mirror is Mirror<ChannelKind> & Mirror<K> => mirror.kind === kind;

/** A chat or session that was disposed meanwhile, or was about to be when the disk was full. */
const isGone = (error: unknown): boolean =>
  error instanceof RpcError && [-32008, -32001, -32603].includes(error.code);

const isConnectionLost = (error: unknown): boolean =>
  error instanceof Error && error.name === 'ConnectionLost';
