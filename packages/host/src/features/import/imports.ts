import { conflict, invalidParam, permissionDenied, sessionNotFound, type URI } from '@agenthost/protocol';
import type { Cancel, Timers } from '../../lib/clock.ts';
import type { Sync } from '../../sync/sync.ts';
import type { Presence } from '../../wire/clients/client-lives.ts';
import type { ImportedChatRows } from './imported-chat.ts';

/** Time without requests after which an import is abandoned. */
const IDLE_MS = 60_000;

/** Maximum number of concurrent imports of all clients. Each holds up to one content in memory. */
const MAX_IMPORTS = 8;

/** A session that is being imported. */
export interface OpenImport {
  readonly session: URI;
  readonly clientId: string;
  readonly chats: readonly ImportedChatRows[];
  /** These chats by their new URIs. */
  readonly byUri: ReadonlyMap<URI, ImportedChatRows>;
  readonly defaultChat: ImportedChatRows;
  /** True if its chats work in the session's folder instead of their own. */
  readonly isMoved: boolean;
  /** Lets the session be unloaded from memory again. */
  readonly release: () => void;
}

/** The running imports. An import is removed if its client does not finish it. */
export class OpenImports {
  readonly #timers: Timers;
  readonly #stopping: AbortSignal;
  readonly #remove: (session: URI) => void;
  readonly #open = new Map<URI, { readonly import: OpenImport; cancelTimer: Cancel; isFinishing?: true }>();

  constructor(parts: {
    sync: Sync;
    timers: Timers;
    presence: Presence;
    /** Aborts when the host stops; open imports are then abandoned. */
    stopping: AbortSignal;
    /** Removes an unfinished session. Does nothing if it no longer exists. */
    remove: (session: URI) => void;
  }) {
    this.#timers = parts.timers;
    this.#stopping = parts.stopping;
    parts.stopping.addEventListener('abort', () => {
      for (const [uri, { isFinishing }] of this.#open) if (isFinishing !== true) this.#giveUp(uri);
    });
    this.#remove = parts.remove;
    parts.presence.onChange((clientId, state) => {
      if (state === 'connected') return;
      for (const [uri, { import: each }] of this.#open) if (each.clientId === clientId) this.#giveUp(uri);
    });
    parts.sync.observe('session', (tx, { channel, after }) => {
      if (after.lifecycle !== 'creating') this.#forget(channel.uri);
    });
  }

  /** Throws `-32011` (`Conflict`) if the maximum number of imports is running. */
  checkRoom(): void {
    if (this.#open.size < MAX_IMPORTS) return;
    throw conflict(`${MAX_IMPORTS} imports are running, the maximum: try again when one has ended`);
  }

  add(opened: OpenImport): void {
    this.#open.set(opened.session, { import: opened, cancelTimer: this.#timer(opened.session) });
  }

  /**
   * The import into a session, for the client that started it. Throws for other clients, and if there is
   * none.
   */
  of(session: URI, clientId: string): OpenImport {
    const entry = this.#open.get(session);
    if (entry === undefined) throw sessionNotFound(session);
    if (entry.import.clientId !== clientId)
      throw permissionDenied(`${session} is being imported by another client`);
    if (entry.isFinishing === true) throw conflict(`The import of ${session} is being finished already`);
    entry.cancelTimer();
    entry.cancelTimer = this.#timer(session);
    return entry.import;
  }

  /** Pauses an import, which then accepts no requests and does not time out, until `resume` is called. */
  pauseFor(session: URI): { resume(): void } {
    const entry = this.#open.get(session);
    if (entry === undefined) throw sessionNotFound(session);
    entry.isFinishing = true;
    entry.cancelTimer();
    return {
      resume: () => {
        if (this.#open.get(session) !== entry) return;
        delete entry.isFinishing;
        entry.cancelTimer = this.#timer(session);
      },
    };
  }

  /** Ends an import that is complete. */
  finish(session: URI): void {
    this.#forget(session);
  }

  #forget(session: URI): void {
    const entry = this.#open.get(session);
    if (entry === undefined) return;
    this.#open.delete(session);
    entry.cancelTimer();
    entry.import.release();
  }

  #giveUp(session: URI): void {
    this.#forget(session);
    this.#remove(session);
  }

  #timer(session: URI): Cancel {
    if (this.#stopping.aborted) return () => undefined;
    return this.#timers.after(IDLE_MS, () => this.#giveUp(session));
  }
}

/** The chat of an import that turns belong to. Throws `-32602` if there is no such chat. */
export function chatOf(opened: OpenImport, uri: URI): ImportedChatRows {
  const chat = opened.byUri.get(uri);
  if (chat === undefined) throw invalidParam('chat', `${uri.slice(0, 100)} is not a chat of this import`);
  return chat;
}
