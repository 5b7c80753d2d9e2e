import { errorText } from '@agenthost/protocol/values';
import type { Log } from '../lib/log.ts';
import type { Presence } from '../wire/clients/client-lives.ts';
import { disposeSession } from './disposal.ts';
import type { SessionParts } from './parts.ts';

type Parts = Pick<SessionParts, 'sync' | 'turns' | 'terminals' | 'progress' | 'listing'> & {
  readonly log: Log;
  readonly presence: Presence;
};

/** Lists sessions that were created with `x-unlisted` at their first message, and disposes of those whose client is gone before. */
export class Unlisted {
  readonly #parts: Parts;
  /** Client ids by URI. */
  readonly #waiting = new Map<string, string>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  observe(): void {
    const { sync, presence, listing } = this.#parts;
    sync.observe('chat', (tx, { channel, action }) => {
      if (action.type !== 'chat/turnStarted' && action.type !== 'chat/pendingMessageSet') return;
      const session = sync.registry.getOf('session', channel.session ?? '');
      if (session?.hostData.unlistedFor === undefined) return;
      listing.publish(tx, sync, session);
      tx.effect(() => this.#waiting.delete(session.uri));
    });
    listing.onChange((tx, uri, by) => {
      if (by === -1) tx.effect(() => this.#waiting.delete(uri));
      else tx.effect(() => this.#take(uri));
    });
    presence.onChange((clientId, state) => {
      if (state !== 'gone') return;
      for (const [uri, by] of this.#waiting) if (by === clientId) void this.#dispose(uri);
    });
  }

  /** Finds the sessions of the previous run and starts the grace periods of their clients. */
  async recover(): Promise<void> {
    const { sync } = this.#parts;
    for (const uri of await sync.journal.listOpen()) if (sync.registry.getOf('session', uri)) this.#take(uri);
  }

  #take(uri: string): void {
    const clientId = this.#parts.sync.registry.getOf('session', uri)?.hostData.unlistedFor;
    if (clientId === undefined) return;
    this.#waiting.set(uri, clientId);
    this.#parts.presence.expect(clientId);
  }

  async #dispose(uri: string): Promise<void> {
    const { sync, log, presence } = this.#parts;
    try {
      const session = await sync.registry.openOf('session', uri);
      const by = session?.hostData.unlistedFor;
      // The client may have come back meanwhile.
      if (by !== undefined && !presence.isGone(by)) return;
      if (by !== undefined) await disposeSession(this.#parts, uri);
      this.#waiting.delete(uri);
    } catch (error) {
      log.warn({ session: uri, problem: errorText(error) }, 'cannot remove a session without messages');
    }
  }
}
