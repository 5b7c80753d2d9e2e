import {
  type ChannelKind,
  isWithinScope,
  type PresenceChangedParams,
  type PresentClient,
  ROOT_URI,
  type SetPresenceParams,
  type TokenScope,
} from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { cleanLine } from '../lib/clean-line.ts';
import { type Cancel, type Clock, steadyNow, type Timers } from '../lib/clock.ts';
import type { Channel } from '../sync/channel.ts';
import type { CommitPath } from '../sync/commit-path.ts';
import { EncodedNotification, type Sink } from '../sync/subscription.ts';

/** Greatest number of clients in one notification. */
const MAX_CLIENTS = 256;
/** Greatest number of channels that a client shows. */
const MAX_SHOWING = 16;
/** Greatest length of the clients in one notification, as JSON. */
const MAX_LENGTH = 256 * 1024;
/** Longest name of a device. */
const MAX_DEVICE = 100;
/** Shortest time between two notifications. */
const INTERVAL_MS = 250;
/** A receiver with more unsent bytes gets the present list later. */
const MAX_WAITING_BYTES = 64 * 1024;

/** Kinds of channels that a client can show. */
const SHOWN_KINDS: ReadonlySet<ChannelKind> = new Set(['session', 'chat', 'terminal']);

/** A connection after its handshake. */
export interface Joining {
  readonly clientId: string;
  /** Name and device of its `clientInfo`. */
  readonly names: { readonly name: string; readonly device?: string };
  /** The person of its token; `undefined`: it has none. */
  readonly person?: string | undefined;
  readonly scope: TokenScope;
  /** Whether it may see a channel. Absent: it sees all. */
  readonly sees?: (uri: string) => boolean;
  /** The channels that it is subscribed to, as they change. */
  readonly channels: Iterable<Channel>;
}

/** A connected client. */
interface Present extends Joining {
  readonly connectedAt: string;
  /** Absent: it has not called `x-setPresence`. */
  told?: Pick<PresentClient, 'showing' | 'isVisible' | 'device' | 'typing'>;
  /** The version of the list that it was sent last. */
  sent?: number;
}

/**
 * The presence of connected clients, as they report it with `x-setPresence`. Belongs to connections and is never journaled. Clients that report it
 * get the list of all clients.
 */
export class PresentClients {
  readonly #clock: Clock;
  readonly #timers: Timers;
  readonly #path: Pick<CommitPath, 'send'>;
  readonly #bySink = new Map<Sink, Present>();
  readonly #listeners: (() => void)[] = [];
  /** Number of clients that have called `x-setPresence`. */
  #receiverCount = 0;
  #version = 0;
  #listJson = '';
  #nextAt = Number.NEGATIVE_INFINITY;
  #isChanged = false;
  #cancel: Cancel | undefined;
  #isImmediate = false;
  #isStopped = false;

  constructor(parts: { clock: Clock; timers: Timers; path: Pick<CommitPath, 'send'> }) {
    this.#clock = parts.clock;
    this.#timers = parts.timers;
    this.#path = parts.path;
  }

  /** Call it when a connection has completed its handshake. */
  join(sink: Sink, joining: Joining): void {
    this.#bySink.set(sink, { ...joining, connectedAt: new Date(this.#clock.now()).toISOString() });
    this.changed();
  }

  /** Call it when a connection has closed. */
  leave(sink: Sink): void {
    const present = this.#bySink.get(sink);
    if (present === undefined) return;
    this.#bySink.delete(sink);
    if (present.told !== undefined) this.#receiverCount -= 1;
    this.changed();
  }

  /** Records the presence of a client. The client then gets the list at once, and whenever the list changes. */
  set(sink: Sink, { showing = [], isVisible, device, typing }: Omit<SetPresenceParams, 'channel'>): void {
    const present = this.#bySink.get(sink);
    if (present === undefined) return;
    if (present.told === undefined) this.#receiverCount += 1;
    const line = cleanLine(device ?? '', MAX_DEVICE);
    present.told = {
      showing: [...showing],
      isVisible,
      ...defined({ device: line === '' ? undefined : line, typing }),
    };
    this.changed();
    if (present.sent === undefined) this.#soon();
  }

  /** Calls back when the list of clients may have changed, such as by a subscription. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Call it when the list of clients may have changed, such as by a subscription. */
  changed(): void {
    this.#isChanged = true;
    for (const listener of this.#listeners) listener();
    this.#schedule();
  }

  /**
   * The connections of the clients in the foreground that show one of these channels. Clients without the scope `interact` do not count: most of
   * them cannot answer, and they may be a screen on a wall.
   */
  viewersOf(uris: readonly string[]): readonly Sink[] {
    const isViewer = ({ scope, told }: Present): boolean =>
      isWithinScope(scope, 'interact') &&
      told?.isVisible === true &&
      told.showing.some((uri) => uris.includes(uri));
    return [...this.#bySink].filter(([, present]) => isViewer(present)).map(([sink]) => sink);
  }

  /** The name that the client of a connection has given itself. */
  nameOf(sink: Sink): string | undefined {
    return this.#bySink.get(sink)?.names.name;
  }

  /** Whether a connection is still open. */
  isConnected(sink: Sink): boolean {
    return this.#bySink.has(sink);
  }

  /** The open connections of a client. */
  sinksOf(clientId: string): readonly Sink[] {
    return [...this.#bySink].flatMap(([sink, present]) => (present.clientId === clientId ? [sink] : []));
  }

  /** The connected clients, as clients see them. `to`: only the receiver, and clients that show a channel that the receiver sees. */
  list(to?: {
    readonly sink: Sink;
    sees(uri: string): boolean;
  }): Pick<PresenceChangedParams, 'clients' | 'more'> {
    const all = [...this.#bySink].flatMap(([sink, present]) => {
      if (to === undefined || sink === to.sink) return [present];
      const shown = shownOf(present).showing.filter((uri) => to.sees(uri));
      return shown.length === 0 ? [] : [{ ...present, told: toldOf(present, shown, to) }];
    });
    const ordered = [
      ...all.filter(({ told }) => told !== undefined),
      ...all.filter(({ told }) => told === undefined),
    ];
    const clients: PresentClient[] = [];
    let length = 0;
    for (const present of ordered.slice(0, MAX_CLIENTS)) {
      const shown = shownOf(present);
      length += JSON.stringify(shown).length;
      if (length > MAX_LENGTH) break;
      clients.push(shown);
    }
    const more = all.length - clients.length;
    return { clients, ...(more > 0 ? { more } : {}) };
  }

  /** Sends nothing more. */
  stop(): void {
    this.#isStopped = true;
    this.#cancel?.();
  }

  /** Sends after the present iteration of the event loop, so that changes of one iteration are sent together. */
  #soon(): void {
    if (this.#isImmediate || this.#isStopped) return;
    this.#isImmediate = true;
    this.#timers.immediate(() => {
      this.#isImmediate = false;
      if (!this.#isStopped) this.#send();
    });
  }

  #schedule(): void {
    if (this.#cancel !== undefined || this.#isStopped || this.#receiverCount === 0) return;
    const waitMs = this.#nextAt - steadyNow(this.#clock);
    if (waitMs <= 0) return this.#soon();
    this.#cancel = this.#timers.after(waitMs, () => {
      this.#cancel = undefined;
      if (!this.#isStopped) this.#send();
    });
  }

  /** The commit path keeps the order of all output, and writes it to the sockets. */
  #send(): void {
    const send = (): void => this.#sendNow();
    this.#path.send(send, send);
  }

  #sendNow(): void {
    if (this.#isStopped) return;
    const isDue = this.#nextAt <= steadyNow(this.#clock);
    const params = this.list();
    if (this.#isChanged && isDue) {
      this.#isChanged = false;
      const json = JSON.stringify(params);
      if (json !== this.#listJson) this.#version += 1;
      this.#listJson = json;
    }
    const encode = (list: typeof params): EncodedNotification =>
      new EncodedNotification('x-presenceChanged', { channel: ROOT_URI, ...list });
    const encoded = encode(params);
    let hasSent = false;
    let isOwed = this.#isChanged;
    for (const [sink, present] of this.#bySink) {
      if (present.told === undefined || present.sent === this.#version) continue;
      const isFirst = present.sent === undefined;
      if ((!isDue && !isFirst) || (sink.waitingBytes ?? 0) > MAX_WAITING_BYTES) {
        isOwed = true;
        continue;
      }
      present.sent = this.#version;
      const { sees } = present;
      sink.notification(sees === undefined ? encoded : encode(this.list({ sink, sees })));
      hasSent = true;
    }
    if (isDue && (hasSent || isOwed)) this.#nextAt = steadyNow(this.#clock) + INTERVAL_MS;
    if (isOwed) this.#schedule();
  }
}

/** The presence of a client for a receiver that sees only these channels of it. */
function toldOf(
  { told }: Present,
  showing: string[],
  { sees }: { sees(uri: string): boolean },
): NonNullable<Present['told']> {
  const { isVisible = false, device, typing } = told ?? {};
  return {
    showing,
    isVisible,
    ...defined({ device, typing: typing && sees(typing.chat) ? typing : undefined }),
  };
}

function shownOf(present: Present): PresentClient {
  const { clientId, names, person, scope, channels, connectedAt, told, sees = () => true } = present;
  const { isVisible = false, device = names.device, typing } = told ?? {};
  // A client cannot be where it sees nothing.
  const showing = (told?.showing ?? subscribed(channels)).filter(sees);
  return {
    clientId,
    name: names.name,
    ...defined({ device, person }),
    scope,
    showing,
    isVisible,
    ...defined({ typing: typing && sees(typing.chat) ? typing : undefined }),
    connectedAt,
  };
}

function subscribed(channels: Iterable<Channel>): string[] {
  const uris: string[] = [];
  for (const { kind, uri } of channels) {
    if (uris.length === MAX_SHOWING) break;
    if (SHOWN_KINDS.has(kind)) uris.push(uri);
  }
  return uris;
}
