import { conflict, invalidParam, permissionDenied, sessionNotFound, type URI } from '@agenthost/protocol';
import type { Cancel, Timers } from '../../lib/clock.ts';
import type { Sync } from '../../sync/sync.ts';
import type { Presence } from '../../wire/clients/client-lives.ts';
import type { ImportedChatRows } from './imported-chat.ts';

/** An import whose client sends nothing for so long has been given up. */
const IDLE_MS = 60_000;

/** So many go on at once, of all clients: each holds up to one content in memory. */
const MAX_IMPORTS = 8;

/** A session that comes in. */
export interface OpenImport {
  readonly session: URI;
  readonly clientId: string;
  readonly chats: readonly ImportedChatRows[];
  /** The same by their new URIs. */
  readonly byUri: ReadonlyMap<URI, ImportedChatRows>;
  readonly defaultChat: ImportedChatRows;
  /** Its chats work in the session's folder, not in their own. */
  readonly isMoved: boolean;
  /** Lets the session go out of memory again. */
  readonly release: () => void;
}

/** The imports that go on. Whoever begins one ends it, or it is taken back. */
export class OpenImports {
  readonly #timers: Timers;
  readonly #stopping: AbortSignal;
  readonly #remove: (session: URI) => void;
  readonly #open = new Map<URI, { readonly import: OpenImport; cancelTimer: Cancel; isFinishing?: true }>();

  constructor(parts: {
    sync: Sync;
    timers: Timers;
    presence: Presence;
    /** Aborted when the host stops: open imports are given up. */
    stopping: AbortSignal;
    /** Removes a session that will not be finished; nothing when it has gone. */
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

  /** Throws `-32011` (`Conflict`) when so many go on that another has to wait. */
  checkRoom(): void {
    if (this.#open.size < MAX_IMPORTS) return;
    throw conflict(
      `This host has ${MAX_IMPORTS} imports going on, the most it takes: try again when one has ended`,
    );
  }

  add(opened: OpenImport): void {
    this.#open.set(opened.session, { import: opened, cancelTimer: this.#timer(opened.session) });
  }

  /** The import into a session, for the client that began it. Throws for others, and when there is none. */
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

  /** Takes no more for an import, and does not give it up for its silence, until `resume` is called. */
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

  /** All of it is there. */
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

/** The chat of an import that turns are for. Throws `-32602` when it has none of that name. */
export function chatOf(opened: OpenImport, uri: URI): ImportedChatRows {
  const chat = opened.byUri.get(uri);
  if (chat === undefined) throw invalidParam('chat', `${uri.slice(0, 100)} is no chat of this import`);
  return chat;
}
