import { fileURLToPath } from 'node:url';
import type { Log } from '../../lib/log.ts';
import type { Sync } from '../../sync/sync.ts';
import type { Tx } from '../../sync/tx.ts';

/**
 * Absolute paths of the working directories of all sessions and their chats. Read again after one was added
 * or removed.
 */
export class WorkingDirectories {
  readonly #sync: Sync;
  readonly #log: Log;
  readonly #ofChats: () => readonly string[];
  #known: Promise<string[]> | undefined;

  /** `ofChats`: `file:` URIs of the chats' own folders. Default: none. */
  constructor(sync: Sync, log: Log, ofChats: () => readonly string[] = () => []) {
    this.#sync = sync;
    this.#log = log;
    this.#ofChats = ofChats;
  }

  /** Call it in the transaction that changes the folders. The rows change with its commit. */
  changed(tx: Tx): void {
    this.#known = undefined;
    tx.effect(() => {
      this.#known = undefined;
    });
  }

  /** Rejects if the catalogue cannot be read. The next call tries again. */
  list(): Promise<string[]> {
    if (this.#known !== undefined) return this.#known;
    const reading = this.#read();
    this.#known = reading;
    reading.catch(() => {
      if (this.#known === reading) this.#known = undefined;
    });
    return reading;
  }

  async #read(): Promise<string[]> {
    const rows = await this.#sync.journal.listSessions({ shorten: onlyDirectories });
    const uris = new Set(this.#ofChats());
    for (const { summary } of rows) for (const uri of listOf(summary)) uris.add(uri);
    return [...uris].flatMap((uri) => this.#pathOf(uri));
  }

  #pathOf(uri: string): string[] {
    try {
      return [fileURLToPath(uri)];
    } catch (error) {
      this.#log.warn(
        { error, uri },
        'ignored the working directory of a session because it is not a local path',
      );
      return [];
    }
  }
}

/** The working directories in a summary that the catalogue wrote, as JSON. */
function onlyDirectories(summary: string): string {
  const { workingDirectories = [] }: { workingDirectories?: string[] } = JSON.parse(summary);
  return JSON.stringify(workingDirectories);
}

/** A list that `onlyDirectories` wrote. */
function listOf(text: string): string[] {
  return JSON.parse(text);
}
