import type { ChatSummary, SessionAction } from '@agenthost/protocol';
import type { Channel } from '../../sync/channel.ts';
import type { Sync } from '../../sync/sync.ts';
import type { Tx } from '../../sync/tx.ts';

const KEY = 'chatDirectories';

/**
 * The folders that chats have of their own, by session: what is in them can be read as what is in a session's folder [RES-2]. Kept in the
 * journal, since the catalogue does not tell of them. Workers' folders do not count: agents choose those, and nobody has admitted them.
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
    // Once for all chats that come in one tick.
    sync.path.onSeal((tx) => {
      for (const { isAlive, uri, state } of changed) if (isAlive) this.#set(tx, uri, ownFolders(state.chats));
      changed.clear();
    });
  }

  /** Rejects when the journal cannot be read. */
  static async load(sync: Sync): Promise<ChatDirectories> {
    const text = await sync.journal.readMeta(KEY);
    // Written below.
    const stored: [string, string[]][] = text === undefined ? [] : JSON.parse(text);
    return new ChatDirectories(sync, new Map(stored));
  }

  /** Registers the listener that joins each transaction that changes a folder. */
  onChange(listener: (tx: Tx) => void): void {
    this.#onChange = listener;
  }

  /** `file:` URIs, one or several times. */
  list(): string[] {
    return [...this.#bySession.values()].flat();
  }

  /** A session has come, perhaps with chats, or is gone. */
  sessionListed(tx: Tx, uri: string, by: 1 | -1): void {
    const chats = by === 1 ? this.#sync.registry.getOf('session', uri)?.state.chats : undefined;
    this.#set(tx, uri, ownFolders(chats ?? []));
  }

  /** Most chats work in their session's folder: those that come and go must not make the others be looked at. */
  #mayChange(session: string, action: SessionAction): boolean {
    switch (action.type) {
      case 'session/chatAdded':
        return this.#bySession.has(session) || ownFolders([action.summary]).length > 0;
      case 'session/chatRemoved':
        return this.#bySession.has(session);
      case 'session/chatUpdated':
        return action.changes.workingDirectory !== undefined;
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
    chats.flatMap(({ origin, workingDirectory }) =>
      workingDirectory === undefined || origin?.kind === 'tool' ? [] : [workingDirectory],
    ),
  ),
];
