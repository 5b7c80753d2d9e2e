import { kindOfScheme } from '@agenthost/protocol';
import type { Log } from '../lib/log.ts';
import { isAwaited } from '../sync/awaited.ts';
import type { Channel } from '../sync/channel.ts';
import type { Sync } from '../sync/sync.ts';
import type { Tx } from '../sync/tx.ts';
import type { Presence } from '../wire/clients/client-lives.ts';

/**
 * Tracks the sessions in which each client is active, and removes a client [SESS-8] that unsubscribes from
 * the session, stays away longer than the grace period, or reconnects without a subscription to the session.
 * Sessions with active clients are marked open in the journal, so that the next start finds them.
 */
export class Membership {
  readonly #sync: Sync;
  readonly #log: Log;
  readonly #presence: Presence;
  /** URIs of sessions by client. */
  readonly #sessions = new Map<string, Set<string>>();

  constructor(parts: { sync: Sync; log: Log; presence: Presence }) {
    this.#sync = parts.sync;
    this.#log = parts.log;
    this.#presence = parts.presence;
    this.#sync.observe('session', (tx, { channel, before, after }) => {
      if (before.activeClients !== after.activeClients)
        this.#follow(tx, channel, idsOf(before.activeClients), idsOf(after.activeClients));
    });
    // A session that was unreadable at the start can now be read.
    this.#sync.registry.onLoaded((channel) => {
      if (channel.is('session')) this.#take(channel);
    });
    parts.presence.onChange((clientId, state) => {
      if (state !== 'gone') return;
      // The client may have reconnected before the journal can be written again.
      void this.#remove(clientId, this.#sessionsOf(clientId), () => this.#presence.isGone(clientId));
    });
  }

  /**
   * Finds the active clients of the previous run and starts their grace periods [CONN-8]. Call it before
   * clients can connect.
   */
  async recover(): Promise<void> {
    for (const uri of await this.#sync.journal.listOpen()) {
      // Clients choose URIs. Only schemes of the protocol tell the kind of channel.
      const kind = kindOfScheme(uri);
      if (kind !== undefined && kind !== 'session') continue;
      const session = await this.#open(uri, 'debug');
      if (session !== undefined) this.#take(session);
    }
  }

  /** Called when a client has unsubscribed from a channel. */
  unsubscribed(clientId: string, uri: string): void {
    if (this.#sessions.get(clientId)?.has(uri) === true) void this.#remove(clientId, [uri]);
  }

  /**
   * Called when a client has reconnected with these subscriptions. Resolves when it was removed from the
   * other sessions.
   */
  async returned(clientId: string, subscriptions: readonly string[]): Promise<void> {
    const left = this.#sessionsOf(clientId).filter((uri) => !subscriptions.includes(uri));
    if (left.length > 0) await this.#remove(clientId, left);
  }

  /** Called when a session was removed. */
  forget(uri: string): void {
    for (const clientId of [...this.#sessions.keys()]) this.#drop(clientId, uri);
  }

  #take({ uri, state }: Channel<'session'>): void {
    for (const { clientId } of state.activeClients) this.#add(clientId, uri);
  }

  #sessionsOf(clientId: string): string[] {
    return [...(this.#sessions.get(clientId) ?? [])];
  }

  #follow(tx: Tx, session: Channel<'session'>, before: readonly string[], after: readonly string[]): void {
    const { uri } = session;
    const [wereHere, areHere] = [new Set(before), new Set(after)];
    for (const clientId of after.filter((each) => !wereHere.has(each))) {
      this.#add(clientId, uri);
      tx.undo(() => this.#drop(clientId, uri));
    }
    for (const clientId of before.filter((each) => !areHere.has(each))) {
      this.#drop(clientId, uri);
      // A removal by the host runs again when the journal can be written.
      tx.undo(() => this.#note(clientId, uri));
    }
    if (before.length === 0 && after.length > 0) tx.write({ op: 'markOpen', uri });
    if (before.length > 0 && !isAwaited(session) && session.state.lifecycle !== 'creating')
      tx.write({ op: 'markClosed', uri });
  }

  #add(clientId: string, uri: string): void {
    this.#note(clientId, uri);
    this.#presence.expect(clientId);
  }

  #note(clientId: string, uri: string): void {
    this.#sessions.set(clientId, (this.#sessions.get(clientId) ?? new Set()).add(uri));
  }

  #drop(clientId: string, uri: string): void {
    const sessions = this.#sessions.get(clientId);
    sessions?.delete(uri);
    if (sessions?.size === 0) this.#sessions.delete(clientId);
  }

  /** Changes the memory before it returns. Never rejects. */
  async #remove(clientId: string, uris: readonly string[], isDue: () => boolean = () => true): Promise<void> {
    const isPresent = (uri: string): boolean =>
      this.#removeFrom(this.#sync.registry.get(uri), clientId, isDue);
    for (const uri of uris.filter((each) => !isPresent(each))) {
      const session = await this.#open(uri);
      if (session === undefined) this.#drop(clientId, uri);
      else this.#removeFrom(session, clientId, isDue);
    }
  }

  #removeFrom(session: Channel | undefined, clientId: string, isDue: () => boolean): boolean {
    if (session?.is('session') !== true) return false;
    this.#sync.transact('host', (tx) => {
      if (isDue() && idsOf(session.state.activeClients).includes(clientId))
        tx.emit(session, { type: 'session/activeClientRemoved', clientId });
    });
    return true;
  }

  /**
   * `level`: log level for an unreadable session. At the start, recovery has already logged unreadable open
   * channels.
   */
  async #open(uri: string, level: 'error' | 'debug' = 'error'): Promise<Channel<'session'> | undefined> {
    try {
      return await this.#sync.registry.openOf('session', uri);
    } catch (error) {
      this.#log[level]({ error, uri }, 'a session with active clients cannot be read');
      return undefined;
    }
  }
}

const idsOf = (clients: readonly { readonly clientId: string }[]): string[] =>
  clients.map(({ clientId }) => clientId);
