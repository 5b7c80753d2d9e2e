import { afterEach, beforeEach, describe } from 'vitest';
import type { Journal } from '../journal.ts';
import { catalogueContract } from './catalogue.ts';
import { channelsContract } from './channels.ts';
import { copiesContract } from './copies.ts';
import { openingContract } from './opening.ts';
import type { JournalUnderTest } from './rows.ts';
import { searchContract } from './search.ts';
import { windowContract } from './window.ts';

/** The storage behind the journals of one test. */
export interface JournalStorage {
  /** A new journal, not open yet, on this storage. */
  create(): Journal;
  dispose(): void;
}

/** The rules of the `Journal` port. Every implementation passes all of them. */
export function journalContract(name: string, createStorage: () => JournalStorage): void {
  describe(`${name} as a journal`, () => {
    let storage: JournalStorage;
    let journal: Journal;

    beforeEach(async () => {
      storage = createStorage();
      journal = storage.create();
      await journal.open();
    });

    afterEach(async () => {
      await journal.close();
      storage.dispose();
    });

    const here: JournalUnderTest = {
      get journal() {
        return journal;
      },
      createAnother: () => storage.create(),
      async reopen() {
        await journal.close();
        journal = storage.create();
        return journal.open();
      },
    };

    openingContract(here);
    channelsContract(here);
    copiesContract(here);
    windowContract(here);
    catalogueContract(here);
    searchContract(here);
  });
}
