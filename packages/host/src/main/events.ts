import type { JournalError } from '../journal/journal.ts';
import type { Log } from '../lib/log.ts';
import type { CertificateInfo, HostAddress } from './options.ts';

/** Events of a host by name, for `Host.on`. */
export interface HostEvents {
  /** The host serves connections. `address`: where it listens, if it does. Once, before `start` resolves. */
  readonly ready: { readonly address?: HostAddress };
  /** A session was created durably. */
  readonly sessionAdded: { readonly uri: string };
  /** A session was disposed by a client or by the retention policy. */
  readonly sessionRemoved: { readonly uri: string };
  /**
   * The journal cannot be written at present, for example because the disk is full. Clients are refused until
   * `journalRecovered`.
   */
  readonly journalUnavailable: { readonly error: unknown };
  /** The journal can be written again. */
  readonly journalRecovered: Record<never, never>;
  /**
   * A read or write found damage in the database. Reads of the damaged part fail; after a failed write all
   * writes fail. Once.
   */
  readonly databaseDamaged: { readonly error: JournalError };
  /**
   * The database was damaged: it was moved to `path`, and the host started with an empty one. Before `ready`.
   */
  readonly databaseSetAside: { readonly path: string; readonly reason: string };
  /**
   * The data folder was used by a host, but its database is empty or missing: the host started with an empty
   * one. Before `ready`.
   */
  readonly databaseLost: Record<never, never>;
  /**
   * Other users could read or write the host's files. `message` is a sentence with the finding and the
   * reaction. Before `ready`.
   */
  readonly exposureFound: { readonly message: string };
  /** The certificate files have changed and are used for new connections. */
  readonly certificateRenewed: { readonly certificate: CertificateInfo };
  /**
   * The certificate files have changed but cannot be used; the previous certificate stays in use. `reason` is
   * a sentence that names the file.
   */
  readonly certificateRefused: { readonly reason: string };
  /** The host starts no new turns, and waits for at most `timeoutMs` for those that run. */
  readonly drainBegan: { readonly timeoutMs: number; readonly runningTurns: number };
  /** The host has stopped in order. */
  readonly stopped: Record<never, never>;
}

/** A listener for one kind of event. */
export type HostListener<E extends keyof HostEvents> = (detail: HostEvents[E]) => void;

/** The listeners of a host. */
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
    drainBegan: new Set(),
    stopped: new Set(),
  };

  /** Adds a listener. Returns a function that removes it. */
  on<E extends keyof HostEvents>(event: E, listener: HostListener<E>): () => void {
    // An entry of its own, because one listener may be added twice.
    const entry = { call: listener };
    this.#listeners[event].add(entry);
    return () => void this.#listeners[event].delete(entry);
  }

  /** Calls the listeners in the order added. An error of a listener is logged. */
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
