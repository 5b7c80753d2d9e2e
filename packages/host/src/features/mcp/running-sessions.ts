import type { Sync } from '../../sync/sync.ts';
import type { Tx } from '../../sync/tx.ts';
import { isHostsServer } from './named-servers.ts';

const KEY = 'mcpSessions';

/** The sessions that run MCP servers, durably, so that the next host shows as stopped what a killed host ran [CONN-8]. */
export class RunningSessions {
  readonly #sync: Sync;
  readonly #earlier: readonly string[];
  #present: readonly string[];

  private constructor(sync: Sync, earlier: readonly string[]) {
    this.#sync = sync;
    this.#earlier = earlier;
    this.#present = earlier;
  }

  static async load(sync: Sync): Promise<RunningSessions> {
    const text = await sync.journal.readMeta(KEY);
    // `set` wrote the value.
    const earlier: string[] = text === undefined ? [] : JSON.parse(text);
    return new RunningSessions(sync, earlier);
  }

  set(tx: Tx, session: string, isRunning: boolean): void {
    const before = this.#present;
    const others = before.filter((each) => each !== session);
    this.#present = isRunning ? [...others, session] : others;
    tx.undo(() => {
      this.#present = before;
    });
    tx.write({ op: 'meta', key: KEY, value: JSON.stringify(this.#present) });
  }

  /** Shows the servers of the earlier host as stopped. */
  async recover(): Promise<void> {
    for (const uri of this.#earlier) {
      const session = await this.#sync.registry.openOf('session', uri);
      this.#sync.transact('host', (tx) => {
        this.set(tx, uri, false);
        for (const shown of session?.state.customizations ?? []) {
          const all = shown.type === 'mcpServer' ? [shown] : (shown.children ?? []);
          for (const { id, type, ...rest } of all) {
            if (session === undefined || type !== 'mcpServer' || !('state' in rest)) continue;
            if (isHostsServer(id) && rest.state.kind !== 'stopped')
              tx.emit(session, { type: 'session/mcpServerStateChanged', id, state: { kind: 'stopped' } });
          }
        }
      });
    }
  }
}
