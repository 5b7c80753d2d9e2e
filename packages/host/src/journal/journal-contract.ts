import { afterEach, beforeEach, describe } from 'vitest';
import { catalogueContract } from './catalogue-contract.ts';
import { channelsContract } from './channels-contract.ts';
import type { JournalUnderTest } from './contract-rows.ts';
import { copiesContract } from './copies-contract.ts';
import type { Journal } from './journal.ts';
import { openingContract } from './opening-contract.ts';
import { searchContract } from './search-contract.ts';
import { windowContract } from './window-contract.ts';

/** Where the journals of one test keep what they hold. */
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
