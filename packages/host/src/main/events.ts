import type { JournalError } from '../journal/journal.ts';
import type { Log } from '../lib/log.ts';
import type { CertificateInfo, HostAddress } from './options.ts';

/** What a host tells whoever runs it, by name; `Host.on` listens. */
export interface HostEvents {
  /** It serves connections. `address`: where it listens, if it does. Once, before `start` resolves. */
  readonly ready: { readonly address?: HostAddress };
  /** A session was made; its row is durable. */
  readonly sessionAdded: { readonly uri: string };
  /** A session was disposed of, by a client or by the retention policy; its row is gone. */
  readonly sessionRemoved: { readonly uri: string };
  /** Nothing can be saved at the moment, for want of room perhaps: clients are refused until `journalRecovered`. */
  readonly journalUnavailable: { readonly error: unknown };
  /** The journal can be written again. */
  readonly journalRecovered: Record<never, never>;
  /** A read or a write met damage in the database: what lies there fails from now on, and a write that met it ends all of them. Once. */
  readonly databaseDamaged: { readonly error: JournalError };
  /** The database was damaged: it lies at `path` now, and the host began with an empty one. Before `ready`. */
  readonly databaseSetAside: { readonly path: string; readonly reason: string };
  /** A host ran on this data folder, and its database is empty or gone: the host began with an empty one. Before `ready`. */
  readonly databaseLost: Record<never, never>;
  /** Others could read or write what the host keeps. `message`: a sentence that says what, and what was done about it. Before `ready`. */
  readonly exposureFound: { readonly message: string };
  /** The files of its certificate have changed, and new connections get what is there now. */
  readonly certificateRenewed: { readonly certificate: CertificateInfo };
  /** They have changed, and what is there now is of no use: it goes on with what it had. `reason`: a sentence that names the file. */
  readonly certificateRefused: { readonly reason: string };
  /** It has ended in order. */
  readonly stopped: Record<never, never>;
}

/** Hears of one kind of event. */
export type HostListener<E extends keyof HostEvents> = (detail: HostEvents[E]) => void;

/** Who listens to a host. */
export class HostListeners {
  readonly #listeners: { readonly [E in keyof HostEvents]: Set<{ call: HostListener<E> }> } = {
    ready: new Set(),
    sessionAdded: new Set(),
    sessionRemoved: new Set(),
    journalUnavailable: new Set(),
    journalRecovered: new Set(),
    databaseDamaged: new Set(),
    databaseSetAside: new Set(),
    databaseLost: new Set(),
    exposureFound: new Set(),
    certificateRenewed: new Set(),
    certificateRefused: new Set(),
    stopped: new Set(),
  };

  /** Calls `listener` at each such event until the result is called. */
  on<E extends keyof HostEvents>(event: E, listener: HostListener<E>): () => void {
    // An entry of its own: one listener may be registered twice.
    const entry = { call: listener };
    this.#listeners[event].add(entry);
    return () => void this.#listeners[event].delete(entry);
  }

  /** Tells everyone, in the order registered; one that throws is logged and harms nobody. */
  emit<E extends keyof HostEvents>(event: E, detail: HostEvents[E], log: Log): void {
    for (const { call } of [...this.#listeners[event]]) {
      try {
        call(detail);
      } catch (error) {
        log.error({ error, event }, 'a listener of the host failed');
      }
    }
  }
}
