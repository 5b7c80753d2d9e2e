import { type CloseInfo, TRANSPORT_CLOSE, type Transport, type TransportHandlers } from '@agenthost/rpc';
import type { ServerTransport } from '@agenthost/rpc/websocket-server';

type Item =
  | { readonly kind: 'frame'; readonly text: string }
  | { readonly kind: 'close'; readonly info: CloseInfo };

/** One direction of a link. Frames wait until the schedule delivers them. */
export class LinkDirection {
  readonly #queue: Item[] = [];
  readonly #deliver: (item: Item) => void;
  #waitingBytes = 0;
  /** Bytes of the oldest frame that have arrived; the receiver sees the frame only when it is complete. */
  #arrivedBytes = 0;
  #takenBytes = 0;
  #isSwallowing = false;
  #drained: (() => void)[] = [];
  /** Called with every frame when it is sent. */
  tap: ((text: string) => void) | undefined;

  constructor(deliver: (item: Item) => void) {
    this.#deliver = deliver;
  }

  /** Undelivered items, including a close. */
  get count(): number {
    return this.#queue.length;
  }

  /** Bytes (UTF-16 units) of undelivered frames: the sender's `bufferedBytes`. */
  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  /** Bytes (UTF-16 units) delivered since the start. */
  get takenBytes(): number {
    return this.#takenBytes;
  }

  /** Undelivered frames, oldest first. */
  get frames(): readonly string[] {
    return this.#queue.flatMap((item) => (item.kind === 'frame' ? [item.text] : []));
  }

  /** Delivers the oldest `count` items (default: all). Returns the number delivered. */
  deliver(count = Number.POSITIVE_INFINITY): number {
    let done = 0;
    for (; done < count; done += 1) {
      const item = this.#queue.shift();
      if (item === undefined) break;
      if (item.kind === 'frame') this.#took(item.text.length - this.#arrivedBytes);
      this.#arrivedBytes = 0;
      if (!this.#isSwallowing) this.#deliver(item);
    }
    if (done > 0 && this.#queue.length === 0) for (const listener of this.#drained) listener();
    return done;
  }

  /**
   * Delivers `bytes` of the oldest frame, but never all of it. Returns false when no part of a frame has been
   * delivered.
   */
  deliverPart(bytes: number): boolean {
    const [head] = this.#queue;
    if (head?.kind !== 'frame') return false;
    const part = Math.min(bytes, head.text.length - 1 - this.#arrivedBytes);
    if (part <= 0) return false;
    this.#arrivedBytes += part;
    this.#took(part);
    return true;
  }

  #took(bytes: number): void {
    this.#waitingBytes -= bytes;
    this.#takenBytes += bytes;
  }

  /** Discards every item that is delivered from now on. Neither end notices. */
  swallow(): void {
    this.#isSwallowing = true;
  }

  push(item: Item): void {
    this.#queue.push(item);
    if (item.kind !== 'frame') return;
    this.#waitingBytes += item.text.length;
    this.tap?.(item.text);
  }

  clear(): void {
    this.#queue.length = 0;
    this.#waitingBytes = 0;
    this.#arrivedBytes = 0;
  }

  onDrain(listener: () => void): void {
    this.#drained.push(listener);
  }
}

/** One end of a link. */
class LinkEnd {
  #handlers: TransportHandlers | undefined;
  #early: Item[] = [];
  #isClosed = false;

  get isClosed(): boolean {
    return this.#isClosed;
  }

  take(item: Item): void {
    if (this.#isClosed) return;
    if (this.#handlers === undefined) {
      this.#early.push(item);
      return;
    }
    if (item.kind === 'frame') {
      this.#handlers.onFrame(item.text);
      return;
    }
    this.#isClosed = true;
    this.#handlers.onClose(item.info);
  }

  start(handlers: TransportHandlers): void {
    if (this.#handlers !== undefined) throw new Error('Transport.start was called twice');
    this.#handlers = handlers;
    for (const item of this.#early.splice(0)) this.take(item);
  }
}

/**
 * A connection between client and host whose frames are delivered by the schedule. Frames keep their order,
 * and a close arrives after the frames sent before it. `cut` loses undelivered frames.
 */
export class Link {
  readonly client: Transport;
  readonly host: ServerTransport;
  readonly toHost: LinkDirection;
  readonly toClient: LinkDirection;
  /** Credential of the client. Absent: none. */
  readonly credential: string | undefined;
  readonly #ends: { readonly client: LinkEnd; readonly host: LinkEnd };

  constructor(credential?: string) {
    this.credential = credential;
    const ends = { client: new LinkEnd(), host: new LinkEnd() };
    this.#ends = ends;
    const toHost = new LinkDirection((item) => ends.host.take(item));
    const toClient = new LinkDirection((item) => ends.client.take(item));
    this.toHost = toHost;
    this.toClient = toClient;
    this.client = transport(ends.client, toHost);
    const host = transport(ends.host, toClient);
    const decoder = new TextDecoder();
    this.host = {
      ...host,
      get bufferedBytes() {
        return toClient.waitingBytes;
      },
      get takenBytes() {
        return toClient.takenBytes;
      },
      sendBytes: (utf8) => host.send(decoder.decode(utf8)),
      cork: () => undefined,
      uncork: () => undefined,
      onDrain: (listener) => toClient.onDrain(listener),
      terminate: () => this.cut({ code: TRANSPORT_CLOSE.lost, reason: 'terminated' }),
    };
  }

  /** True until both ends have seen the close. */
  get isOpen(): boolean {
    return !(this.#ends.client.isClosed && this.#ends.host.isClosed);
  }

  /** Breaks the link: undelivered frames are lost and both ends see a close with this code (default 1006). */
  cut(info: CloseInfo = { code: TRANSPORT_CLOSE.lost, reason: 'cut' }): void {
    this.toHost.clear();
    this.toClient.clear();
    this.#ends.host.take({ kind: 'close', info });
    this.#ends.client.take({ kind: 'close', info });
  }

  /** Closes the link for the client only. The host keeps sending, as after a network failure. */
  loseClient(info: CloseInfo = { code: TRANSPORT_CLOSE.lost, reason: 'network lost' }): void {
    this.toHost.clear();
    this.toHost.swallow();
    this.toClient.swallow();
    this.#ends.client.take({ kind: 'close', info });
  }

  /** Closes the link for the host only. The client keeps sending and receives nothing. */
  loseHost(info: CloseInfo = { code: TRANSPORT_CLOSE.lost, reason: 'network lost' }): void {
    this.toClient.clear();
    this.toClient.swallow();
    this.toHost.swallow();
    this.#ends.host.take({ kind: 'close', info });
  }

  /** Closes the link for the client only. Frames that it has sent still arrive at the host. */
  leaveClient(info: CloseInfo = { code: TRANSPORT_CLOSE.lost, reason: 'network lost' }): void {
    this.toClient.clear();
    this.toClient.swallow();
    this.#ends.client.take({ kind: 'close', info });
  }

  /** Delivers items of both directions alternately until none is left. Returns the number of items. */
  deliverAll(): number {
    let total = 0;
    for (let done = 1; done > 0; total += done) done = this.toHost.deliver(1) + this.toClient.deliver(1);
    return total;
  }
}

function transport(own: LinkEnd, outgoing: LinkDirection): Transport {
  let isClosing = false;
  return {
    get bufferedBytes() {
      return outgoing.waitingBytes;
    },
    send: (text) => {
      if (!isClosing && !own.isClosed) outgoing.push({ kind: 'frame', text });
    },
    close: (code = TRANSPORT_CLOSE.normal, reason = '') => {
      if (isClosing || own.isClosed) return;
      isClosing = true;
      outgoing.push({ kind: 'close', info: { code, reason } });
      own.take({ kind: 'close', info: { code, reason } });
    },
    start: (handlers) => own.start(handlers),
  };
}

/** The links between clients and one host, which may be down. */
export class ControlledNetwork {
  /** Accepts a new connection. `undefined` while the host is down: attempts are refused. */
  accept: ((transport: ServerTransport, link: Link) => void) | undefined;
  #links: Link[] = [];

  /** Open links. */
  get links(): readonly Link[] {
    this.#links = this.#links.filter((link) => link.isOpen);
    return this.#links;
  }

  /** Opens a link, for a client's `transport` option. Throws while the host is down. */
  connect(credential?: string): Link {
    if (this.accept === undefined) throw new Error('connection refused');
    const link = new Link(credential);
    this.#links.push(link);
    this.accept(link.host, link);
    return link;
  }

  /** Undelivered frames and closes of all links. */
  get count(): number {
    return this.links.reduce((sum, link) => sum + link.toHost.count + link.toClient.count, 0);
  }
}
