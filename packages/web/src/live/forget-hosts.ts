import { storageName } from '../live/storage-name.ts';

/** Names of the settings that forms and lists keep for the page's own host. */
export const OF_OWN_HOST: readonly string[] = [
  'deletions',
  'newSession',
  'newSession.message',
  'push.device',
  'terminal.commands',
];

/**
 * Deletes from `localStorage` what this browser keeps of a host: drafts, unanswered actions, and the values of `names`. The appearance of the page
 * stays.
 */
export function forgetHost(storage: Storage, hostId: string, names: readonly string[] = []): void {
  const drafts = storageName(`draft.${hostId} `);
  const lives = storageName('life.');
  for (const key of Object.keys(storage))
    if (key.startsWith(drafts) || (key.startsWith(lives) && key.endsWith(`.${hostId}`)))
      storage.removeItem(key);
  for (const name of names) storage.removeItem(storageName(name));
}
