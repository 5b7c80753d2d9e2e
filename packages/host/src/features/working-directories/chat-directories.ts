import type { ChatSummary, SessionAction } from '@agenthost/protocol';
import type { Channel } from '../../sync/channel.ts';
import type { Sync } from '../../sync/sync.ts';
import type { Tx } from '../../sync/tx.ts';

const KEY = 'chatDirectories';

/**
 * The working directories of chats that have their own, by session. Files in them can be read like those of a
 * session's folder [RES-2]. Stored in the journal, because the catalogue does not contain them. Excludes
 * worker chats, because agents choose their folders without a check.
 */
export class ChatDirectories {
  readonly #sync: Sync;
  #onChange: (tx: Tx) => void = () => undefined;
  readonly #bySession: Map<string, readonly string[]>;

  private constructor(sync: Sync, bySession: Map<string, readonly string[]>) {
    this.#sync = sync;
    this.#bySession = bySession;
    const changed = new Set<Channel<'session'>>();
    sync.observe('session', (tx, { channel, action }) => {
      if (this.#mayChange(channel.uri, action)) changed.add(channel);
    });
    // Runs once for all chats that arrive in one tick.
    sync.path.onSeal((tx) => {
      for (const { isAlive, uri, state } of changed) if (isAlive) this.#set(tx, uri, ownFolders(state.chats));
      changed.clear();
    });
  }

  /** Rejects if the journal cannot be read. */
  static async load(sync: Sync): Promise<ChatDirectories> {
    const text = await sync.journal.readMeta(KEY);
    // This class wrote the value.
    const stored: [string, string[]][] = text === undefined ? [] : JSON.parse(text);
    return new ChatDirectories(sync, new Map(stored));
  }

  /** Registers a listener that is called in each transaction that changes a folder. */
  onChange(listener: (tx: Tx) => void): void {
    this.#onChange = listener;
  }

  /** `file:` URIs, possibly with duplicates. */
  list(): string[] {
    return [...this.#bySession.values()].flat();
  }

  /** Called when a session was added, possibly with chats, or removed. */
  sessionListed(tx: Tx, uri: string, by: 1 | -1): void {
    const chats = by === 1 ? this.#sync.registry.getOf('session', uri)?.state.chats : undefined;
    this.#set(tx, uri, ownFolders(chats ?? []));
  }

  /** Most chats work in their session's folder. Their changes must not cause a check of all others. */
  #mayChange(session: string, action: SessionAction): boolean {
    switch (action.type) {
      case 'session/chatAdded':
        return this.#bySession.has(session) || ownFolders([action.summary]).length > 0;
      case 'session/chatRemoved':
        return this.#bySession.has(session);
      case 'session/chatUpdated':
        return action.changes.workingDirectories !== undefined;
      default:
        return false;
    }
  }

  #set(tx: Tx, session: string, folders: readonly string[]): void {
    const before = this.#bySession.get(session) ?? [];
    if (before.join('\n') === folders.join('\n')) return;
    this.#keep(session, folders);
    tx.undo(() => this.#keep(session, before));
    tx.write({ op: 'meta', key: KEY, value: JSON.stringify([...this.#bySession]) });
    this.#onChange(tx);
  }

  #keep(session: string, folders: readonly string[]): void {
    if (folders.length === 0) this.#bySession.delete(session);
    else this.#bySession.set(session, folders);
  }
}

const ownFolders = (chats: readonly ChatSummary[]): string[] => [
  ...new Set(
    chats.flatMap(({ origin, workingDirectories = [] }) =>
      origin?.kind === 'tool' ? [] : workingDirectories,
    ),
  ),
];
