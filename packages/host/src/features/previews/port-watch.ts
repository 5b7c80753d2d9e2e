import { type SessionPort, sessionPorts } from '@agenthost/protocol';
import { defined, errorText, sameJson } from '@agenthost/protocol/values';
import { type Cancel, type Clock, steadyNow, type Timers } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { FoundPort, PortScanner, ScanInput } from '../../previews/port-scanner.ts';
import type { Channel } from '../../sync/channel.ts';
import type { Sync } from '../../sync/sync.ts';

/** Time between an occasion to look and the look, so that a burst of occasions causes one. */
const SOON_MS = 100;
/** A result of a scan is good for requests to previews for this time. */
const FRESH_MS = 1_000;

const NONE: ReadonlyMap<string, readonly FoundPort[]> = new Map();

interface Parts {
  readonly sync: Sync;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  /** Absent: the system has none. */
  readonly scanner: PortScanner | undefined;
  /** The processes of sessions. */
  input(): ScanInput;
}

/**
 * Keeps the ports of sessions in `_meta.ports`. Scans while a client is subscribed to a session that has processes, and for requests to
 * previews.
 */
export class PortWatch {
  readonly #parts: Parts;
  #cancel: Cancel | undefined;
  #scanning: Promise<ReadonlyMap<string, readonly FoundPort[]>> | undefined;
  #last = { at: Number.NEGATIVE_INFINITY, found: NONE };
  #hasFailed = false;
  #isStopped = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Call it when a session may have got a process or a subscriber. */
  wake(): void {
    this.#lookAfter(SOON_MS);
  }

  /** The port, if a process of the session listens on it. Rejects when the system refuses to tell. */
  async find(session: string, port: number): Promise<FoundPort | undefined> {
    const isPort = (each: FoundPort): boolean => each.port === port;
    const { at, found } = this.#last;
    const isFresh = steadyNow(this.#parts.clock) - at < FRESH_MS;
    const known = isFresh ? found.get(session)?.find(isPort) : undefined;
    return known ?? (await this.#scan()).get(session)?.find(isPort);
  }

  /** The ports of all sessions now. Rejects when the system refuses to tell. */
  async list(): Promise<ReadonlyMap<string, readonly SessionPort[]>> {
    const found = await this.#scan();
    return new Map([...found].map(([session, ports]) => [session, ports.map(shownOf)]));
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel?.();
  }

  #lookAfter(delayMs: number): void {
    if (this.#cancel !== undefined || this.#isStopped) return;
    this.#cancel = this.#parts.timers.after(delayMs, () => {
      void this.#look().then((isWorth) => {
        this.#cancel = undefined;
        if (isWorth) this.#lookAfter(this.#parts.scanner?.intervalMs ?? 0);
      });
    });
  }

  /** Updates the sessions that have subscribers. Resolves with false when there is nothing to look for. */
  async #look(): Promise<boolean> {
    const { sync, scanner, log } = this.#parts;
    const watched = this.#watched();
    if (watched.length === 0) return false;
    try {
      const found = await this.#scan();
      this.#hasFailed = false;
      if (this.#isStopped) return false;
      for (const session of watched) show(sync, session, found.get(session.uri) ?? []);
      return scanner !== undefined;
    } catch (error) {
      if (!this.#hasFailed) log.warn({ error: errorText(error) }, 'the ports of sessions cannot be found');
      this.#hasFailed = true;
      return scanner !== undefined;
    }
  }

  /** The sessions with subscribers that have processes or show ports. */
  #watched(): readonly Channel<'session'>[] {
    const { sync, scanner } = this.#parts;
    const attached: Channel<'session'>[] = [];
    for (const session of sync.registry.ofKind('session'))
      if (session.subscriptions.size > 0) attached.push(session);
    if (attached.length === 0) return [];
    const roots = scanner === undefined ? [] : this.#parts.input().roots;
    const working = new Set(roots.flatMap(({ sessions }) => sessions));
    return attached.filter(({ uri, state }) => working.has(uri) || state._meta?.['ports'] !== undefined);
  }

  /** The result of a scan that begins now or is under way. */
  #scan(): Promise<ReadonlyMap<string, readonly FoundPort[]>> {
    const { scanner, clock } = this.#parts;
    if (scanner === undefined) return Promise.resolve(NONE);
    this.#scanning ??= scanner
      .scan(this.#parts.input())
      .then((found) => {
        this.#last = { at: steadyNow(clock), found };
        return found;
      })
      .finally(() => {
        this.#scanning = undefined;
      });
    return this.#scanning;
  }
}

/** Sets the ports that a session shows, beside the other members of its metadata. */
function show(sync: Sync, session: Channel<'session'>, found: readonly FoundPort[]): void {
  const ports = found.map(shownOf);
  sync.transact('host', (tx) => {
    if (!session.isAlive || sameJson(sessionPorts(session.state), ports)) return;
    const { ports: _, ...others } = session.state._meta ?? {};
    const _meta = { ...others, ...defined({ ports: ports.length === 0 ? undefined : ports }) };
    tx.emit(session, {
      type: 'session/metaChanged',
      ...(Object.keys(_meta).length === 0 ? {} : { _meta }),
    });
  });
}

function shownOf({ port, address, process, pid, title }: FoundPort): SessionPort {
  const isLocal = ['127.0.0.1', '0.0.0.0', '::1', '::'].includes(address);
  const name = isLocal ? 'localhost' : address.includes(':') ? `[${address}]` : address;
  return { port, address, process, pid, ...defined({ title }), url: `http://${name}:${port}` };
}
