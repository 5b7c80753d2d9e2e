import { type AhpClient, createClient, type DispatchOutcome, type Mirror } from '@agenthost/client';
import type { ChannelKind, ClientAction, ClientToHostRequests } from '@agenthost/protocol';
import { RpcError } from '@agenthost/rpc';
import type { ControlledNetwork, Link } from '../controlled-network.ts';
import type { Deed } from '../deeds/deed-counts.ts';
import { SeededRandom } from '../seeded-random.ts';
import type { SimulatedClock } from '../simulated-clock.ts';
import type { Ledger } from './ledger.ts';
import type { Report } from './report.ts';
import type { Trace } from './trace.ts';
import type { FaultLog } from './violation.ts';

/** View of a subscription. */
export interface SimView {
  readonly turns?: number;
  readonly maxLatencyMs?: number;
}

/** A dispatched action and its outcome. */
export interface Dispatched {
  readonly channel: string;
  readonly action: ClientAction;
  /** The action's number in its epoch; 0 when it was never sent. */
  readonly clientSeq: number;
  outcome?: DispatchOutcome;
}

/** Options of a simulated client. */
export interface SimClientParts {
  /** Unique in the world. */
  readonly name: string;
  /** Default: `name`. A rival uses the id of another client. */
  readonly clientId?: string;
  readonly seed: number;
  readonly clock: SimulatedClock;
  readonly network: ControlledNetwork;
  readonly report: Report;
  readonly ledger: Ledger;
  readonly faults: FaultLog;
  readonly trace: Trace;
  /** Credential. Absent: the owner's token. */
  readonly credential?: string | undefined;
  /** Whether it only observes. Default false. */
  readonly mayOnlyLook?: boolean;
  /** Whether its token may be revoked. Default false. */
  readonly isGuest?: boolean;
  /** Whether the client resends unanswered actions after a drop. */
  readonly resends: boolean;
}

type AskedMethod =
  | 'createTerminal'
  | 'disposeTerminal'
  | 'x-searchSessions'
  | 'x-createToken'
  | 'x-revokeToken';

/** A client of the real library on a simulated network, with the outcomes of its actions. */
export class SimClient {
  readonly name: string;
  readonly clientId: string;
  readonly resends: boolean;
  readonly credential: string | undefined;
  readonly mayOnlyLook: boolean;
  readonly isGuest: boolean;
  /** Epoch of the client object [ACT-5]; sent only by clients that resend actions. */
  readonly epoch: string;
  readonly client: AhpClient;
  readonly dispatched: Dispatched[] = [];
  /** Random numbers of the current step. */
  random: SeededRandom;
  /** Whether another connection replaced this client at least once. */
  wasReplaced = false;
  readonly #parts: SimClientParts;
  readonly #mirrors = new Map<string, Mirror<ChannelKind>>();
  readonly #pending = new Map<string, number>();
  #clientSeq = 0;
  #link: Link | undefined;

  constructor(parts: SimClientParts) {
    const { name, clock, network, report, ledger, trace, faults } = parts;
    this.#parts = parts;
    this.name = name;
    this.clientId = parts.clientId ?? name;
    this.resends = parts.resends;
    this.credential = parts.credential;
    this.mayOnlyLook = parts.mayOnlyLook ?? false;
    this.isGuest = parts.isGuest ?? false;
    this.random = SeededRandom.of(parts.seed, name);
    const ids = SeededRandom.of(parts.seed, `${name}/ids`);
    let epoch: string | undefined;
    this.client = createClient({
      clientId: this.clientId,
      clock,
      random: SeededRandom.of(parts.seed, `${name}/backoff`).next,
      newId: () => {
        const id = ids.hex(16);
        epoch ??= id;
        return id;
      },
      resend: parts.resends,
      onError: (error, where) => {
        if (!isGone(error)) faults.note('fault', `${name}: ${where}: ${String(error)}`);
      },
      backoff: { minMs: 50, maxMs: 2_000 },
      transport: async () => {
        const link = network.connect(parts.credential);
        const line = ledger.follow(this.clientId, name);
        link.toHost.tap = line.toHost;
        link.toClient.tap = line.toClient;
        this.#link = link;
        return link.client;
      },
    });
    this.epoch = epoch ?? '';
    let wasOnline = false;
    let hasBeenOnline = false;
    this.client.onStatus((status) => {
      trace.note(name, `is ${status.state}`);
      if (wasOnline && status.state === 'waiting') report.count('drops');
      wasOnline = status.state === 'online';
      if (status.state === 'replaced') this.wasReplaced = true;
      if (status.state === 'online') hasBeenOnline = true;
      // The host closes a guest with this error when its token ends. A failed first attempt also closes a client.
      const isExpected = this.isGuest && status.state === 'closed' && status.error.name === 'Unauthorized';
      if (status.state === 'closed' && status.error.name !== 'ClientClosed' && hasBeenOnline && !isExpected)
        faults.note('fault', `${name}: the client gave up: ${status.error.message}`);
    });
  }

  /** The link of the current connection. */
  get link(): Link | undefined {
    return this.#link?.isOpen === true ? this.#link : undefined;
  }

  get isOnline(): boolean {
    return this.client.status.state === 'online';
  }

  get isReplaced(): boolean {
    return this.client.status.state === 'replaced';
  }

  /** Number of actions without an outcome. */
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

  /** Subscribes to a channel. After a refusal or a lost connection the channel is not held. */
  async hold(uri: string, view: SimView = {}): Promise<void> {
    try {
      const mirror = await this.client.subscribe(uri, view);
      if (this.#mirrors.has(uri)) return mirror.dispose();
      this.#mirrors.set(uri, mirror);
      mirror.onChange(() => {
        if (mirror.isLost) this.letGo(uri);
      });
      mirror.onAction(({ origin }) => {
        const isForeign = origin?.clientId !== this.clientId;
        if (isForeign && (this.#pending.get(uri) ?? 0) > 0) this.#parts.report.count('rebases');
      });
    } catch (error) {
      if (!isConnectionLost(error) && !isGone(error)) throw error;
    }
  }

  /** Asks for another window of a held channel. After a refusal or a lost connection nothing changes. */
  renew(uri: string, view: SimView): void {
    const { faults } = this.#parts;
    this.client.subscribe(uri, view).then(
      (mirror) => mirror.dispose(),
      (error: unknown) => {
        if (!isConnectionLost(error) && !isGone(error) && !isReplaced(error))
          faults.note('fault', `${this.name} could not renew ${uri}: ${String(error)}`);
      },
    );
  }

  /** Unsubscribes from a channel. */
  letGo(uri: string): void {
    this.#mirrors.get(uri)?.dispose();
    this.#mirrors.delete(uri);
  }

  /** Sends a command and counts its outcome. Refusals and lost connections are not faults. */
  command<M extends 'createChat' | 'disposeChat' | 'moveChat' | 'createSession' | 'disposeSession'>(
    deed: Deed,
    method: M,
    params: ClientToHostRequests[M]['params'],
    done?: (result: ClientToHostRequests[M]['result']) => void,
  ): void {
    const { report, faults, trace } = this.#parts;
    trace.note(this.name, `${deed} ${JSON.stringify(params)}`);
    const request = this.client.request(method, params);
    report.deeds.answered(deed, request).then(
      async (isDone) => {
        if (isDone && this.mayOnlyLook) faults.note('access', `${this.name} only looks, and did ${deed}`);
        if (isDone) done?.(await request);
      },
      (error: unknown) => faults.note('fault', `${this.name}: ${deed}: ${String(error)}`),
    );
  }

  /** Sends a command without counting its outcome. Refusals and lost connections are not faults. */
  ask<M extends AskedMethod>(
    method: M,
    params: ClientToHostRequests[M]['params'],
    done?: (result: ClientToHostRequests[M]['result']) => void,
  ): void {
    const { faults, trace } = this.#parts;
    trace.note(this.name, `${method} ${JSON.stringify(params)}`);
    this.client.request(method, params).then(
      (result) => {
        if (this.mayOnlyLook && method !== 'x-searchSessions')
          faults.note('access', `${this.name} only looks, and ${method} was done`);
        done?.(result);
      },
      (error: unknown) => {
        if (!isConnectionLost(error) && !(error instanceof RpcError))
          faults.note('fault', `${this.name}: ${method}: ${String(error)}`);
      },
    );
  }

  dispatch(channel: string, action: ClientAction): void {
    const { report, trace } = this.#parts;
    const { state } = this.client.status;
    if (state !== 'closed' && state !== 'replaced') this.#clientSeq += 1;
    const clientSeq = state === 'closed' || state === 'replaced' ? 0 : this.#clientSeq;
    const entry: Dispatched = { channel, action, clientSeq };
    this.dispatched.push(entry);
    trace.note(this.name, `does ${clientSeq} on ${channel}: ${JSON.stringify(action)}`);
    report.count('dispatches');
    this.#pending.set(channel, (this.#pending.get(channel) ?? 0) + 1);
    void this.client.dispatch(channel, action).then((outcome) => {
      this.#pending.set(channel, (this.#pending.get(channel) ?? 0) - 1);
      entry.outcome = outcome;
      if (outcome.outcome === 'rejected') report.rejected(outcome.code);
      else report.count(outcome.outcome);
      report.deeds.settled(action, outcome);
    });
  }
}

const isOf = <K extends ChannelKind>(
  mirror: Mirror<ChannelKind>,
  kind: K,
): mirror is Mirror<ChannelKind> & Mirror<K> => mirror.kind === kind;

/** Whether the chat or session was disposed, or its disposal failed on a full disk. */
const isGone = (error: unknown): boolean =>
  error instanceof RpcError && [-32008, -32001, -32603].includes(error.code);

const isReplaced = (error: unknown): boolean => error instanceof Error && error.name === 'Replaced';

const isConnectionLost = (error: unknown): boolean =>
  error instanceof Error && error.name === 'ConnectionLost';
