import {
  type ActionEnvelope,
  type ChannelKind,
  kindOfScheme,
  ROOT_URI,
  VERSION_LINES,
  type VersionLine,
} from '@agenthost/protocol';
import { dialectOf } from '@agenthost/protocol/dialects';
import type { ControlledNetwork, Link } from '../controlled-network.ts';
import { missingSchemas, OlderSchema, typeOfAction } from '../older-schema.ts';
import { type Doc, doc } from '../oracle/doc.ts';
import { reduceAt } from '../oracle/reduce-at.ts';
import type { SeededRandom } from '../seeded-random.ts';
import type { SimulatedClock } from '../simulated-clock.ts';
import type { Archive } from './archive.ts';
import type { Ledger } from './ledger.ts';
import type { Report } from './report.ts';
import type { FaultLog } from './violation.ts';

/** The protocol's schemas by version, read when they are first needed. */
const schemas = new Map<VersionLine, OlderSchema>();

/** Whether the schemas are next to the repository. */
const hasSchemas = missingSchemas() === undefined;

/** The schema of a version; `undefined` if the schemas are missing. */
function schemaOf(version: VersionLine): OlderSchema | undefined {
  if (!hasSchemas) return undefined;
  const known = schemas.get(version) ?? new OlderSchema(version);
  schemas.set(version, known);
  return known;
}

const STATE_TYPES: Readonly<Partial<Record<ChannelKind, string>>> = {
  root: 'RootState',
  session: 'SessionState',
  chat: 'ChatState',
  terminal: 'TerminalState',
};

/** Actions that clients of 0.9 dispatch although their version does not have them [DIA-4]. */
const BELIEVED = ['chat/isReadChanged', 'chat/isArchivedChanged'];

/** An envelope whose action is of the client's version. */
type Envelope = Omit<ActionEnvelope, 'action'> & { readonly action: Doc };

interface Snapshot {
  readonly resource: string;
  readonly state: Doc;
  readonly fromSeq: number;
}

interface Answer {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Envelope;
  readonly result?: {
    readonly snapshots?: readonly Snapshot[];
    readonly snapshot?: Snapshot;
    readonly type?: string;
    readonly actions?: readonly Envelope[];
    readonly missing?: readonly string[];
  };
}

/** Dependencies of a client of another implementation. */
export interface ForeignParts {
  readonly name: string;
  readonly version: VersionLine;
  /** The version that the host uses for the client; absent for a forgotten one [CONN-7]. */
  readonly versionAtHost: () => string | undefined;
  readonly random: SeededRandom;
  readonly clock: SimulatedClock;
  readonly network: ControlledNetwork;
  readonly ledger: Ledger;
  readonly archive: Archive;
  readonly faults: FaultLog;
  readonly report: Report;
}

/**
 * A client of another implementation: plain JSON-RPC without epoch, delays and extensions. It reduces by the
 * oracle of its version with its own clock, dispatches without prediction, never resends, and counts `clientSeq` from 1 on
 * each connection.
 */
export class ForeignClient {
  readonly name: string;
  readonly random: SeededRandom;
  readonly states = new Map<string, { kind: ChannelKind; state: Doc; seq: number }>();
  readonly #parts: ForeignParts;
  #spoken: VersionLine;
  readonly #wanted = new Set<string>();
  #link: Link | undefined;
  #isOnline = false;
  #lastSeen: number | undefined;
  #nextId = 0;
  #clientSeq = 0;
  #echoed = new Set<number>();
  readonly #asked = new Map<number, string>();

  constructor(parts: ForeignParts) {
    this.name = parts.name;
    this.random = parts.random;
    this.#parts = parts;
    this.#spoken = parts.version;
  }

  /** The version of the received messages. */
  get version(): VersionLine {
    return this.#spoken;
  }

  /** The client's clock, in milliseconds since the epoch. */
  get now(): number {
    return this.#parts.clock.now();
  }

  get isOnline(): boolean {
    return this.#isOnline;
  }

  /** True while a request is unanswered. */
  get isWaiting(): boolean {
    return this.#asked.size > 0;
  }

  get link(): Link | undefined {
    return this.#link?.isOpen === true ? this.#link : undefined;
  }

  /** Connects if necessary, by `initialize` or `reconnect` at random. Does nothing while the host is down. */
  connect(): void {
    const { network, ledger } = this.#parts;
    if (this.#link !== undefined || network.accept === undefined) return;
    const link = network.connect();
    this.#link = link;
    this.#clientSeq = 0;
    this.#echoed = new Set();
    this.#asked.clear();
    const line = ledger.follow(this.name, this.name, () => this.version);
    link.toHost.tap = line.toHost;
    link.toClient.tap = (text) => {
      // Noted at sending: by the time the message arrives, the host may have forgotten the client again.
      this.#noteVersion();
      line.toClient(text);
    };
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
      protocolVersions: [this.#parts.version],
      initialSubscriptions: subscriptions,
    });
  }

  /** Subscribes permanently. */
  hold(uri: string): void {
    this.#wanted.add(uri);
    if (this.#isOnline) this.#ask('subscribe', { channel: uri });
  }

  /** Asks for a wider or narrower window. */
  renew(uri: string): void {
    if (!this.#isOnline || !this.#wanted.has(uri) || !dialectOf(this.version).takesTurns) return;
    this.#parts.report.count('renewals');
    this.#ask('subscribe', { channel: uri, view: { turns: this.random.int(6) } });
  }

  /** Dispatches an action of the client's version. */
  dispatch(channel: string, action: Doc): void {
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

  #noteVersion(): void {
    const atHost = this.#parts.versionAtHost();
    this.#spoken = VERSION_LINES.find((version) => version === atHost) ?? this.#spoken;
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
      // A client may repeat a refused handshake on the same connection; this client opens a new one.
      if (asked === 'reconnect' || asked === 'initialize') this.#restart();
      return;
    }
    if (asked === 'initialize') this.#check('InitializeResult', { ...result, snapshots: [] });
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
    const isSession = 'activeClients' in state || 'summary' in state;
    const kind = isSession ? 'session' : kindOfScheme(resource);
    if (kind !== 'root' && kind !== 'session' && kind !== 'chat' && kind !== 'terminal')
      throw new Error(`unexpected snapshot of ${resource}`);
    this.#check(STATE_TYPES[kind] ?? kind, state);
    this.states.set(resource, { kind, state, seq: fromSeq });
    this.#lastSeen = Math.max(this.#lastSeen ?? 0, fromSeq);
  }

  #reduce(envelope: Envelope): void {
    const { channel, action, serverSeq, origin, rejectionReason } = envelope;
    this.#lastSeen = Math.max(this.#lastSeen ?? 0, serverSeq);
    const isOwn = origin?.clientId === this.name;
    if (isOwn) this.#noteEcho(envelope, origin.clientSeq);
    // What a client has dispatched is echoed to it even if its version does not have it [DIA-3].
    const isKnown = !isOwn || !BELIEVED.includes(String(action['type']));
    if (rejectionReason === undefined && isKnown) this.#checkAction(envelope);
    const held = this.states.get(channel);
    if (held === undefined || rejectionReason !== undefined || serverSeq <= held.seq) return;
    held.seq = serverSeq;
    const at = { version: this.version, now: this.#parts.clock.now() };
    held.state = reduceAt(at, held.kind, held.state, action);
  }

  #checkAction({ action, serverSeq }: Envelope): void {
    this.#check(typeOf(action), action);
    if (action['type'] !== 'chat/responsePart') return;
    const { archive } = this.#parts;
    // Below 0.9, a resumed turn starts again with the parts that it had.
    const whole = archive.get(serverSeq) ?? archive.nextAfter(serverSeq);
    if (whole?.action.type === 'chat/turnResume') return;
    const { kind, content } = doc(action['part']);
    // A client that shows only appended text would miss this content [CHAT-4].
    if ((kind === 'markdown' || kind === 'reasoning') && content !== '')
      this.#parts.faults.note('convergence', `a part begins with content: ${JSON.stringify(action)}`);
  }

  /** Reports a message that does not match the version of this client [CONN-9]. */
  #check(type: string, value: unknown): void {
    const schema = schemaOf(this.version);
    if (schema === undefined) return;
    this.#parts.report.count('checkedFrames');
    const fault = schema.faultOf(type, value);
    if (fault !== undefined)
      this.#parts.faults.note(
        'convergence',
        `${this.name} at ${this.version}: ${fault}: ${JSON.stringify(value)}`,
      );
  }

  #noteEcho({ serverSeq, action, rejectionReason }: Envelope, clientSeq: number): void {
    // A replay contains echoes with numbers of an earlier connection.
    if (!this.#isOnline) return;
    const isApplied = rejectionReason === undefined;
    this.#parts.report.foreignDeeds.noted(String(action['type']), isApplied ? 'applied' : 'rejected');
    if (isApplied) this.#parts.report.foreignEcho(this.version);
    if (clientSeq > this.#clientSeq || this.#echoed.has(clientSeq))
      this.#parts.faults.note(
        'once',
        `${this.name}: envelope ${serverSeq} echoes ${clientSeq}, which was never sent or was echoed before`,
      );
    this.#echoed.add(clientSeq);
  }
}

const typeOf = (action: Doc): string => (hasSchemas ? typeOfAction(String(action['type'])) : 'StateAction');
