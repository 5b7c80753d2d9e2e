import { storageName } from './storage-name.ts';

/** Names of the settings that name hosts, or that forms and lists keep of their content. */
const OF_HOSTS: readonly string[] = [
  'closedGroups',
  'deletions',
  'hosts',
  'newSession',
  'newSession.message',
  'push.device',
  'terminal.commands',
];

/** Deletes the drafts and unanswered actions of all hosts but those with the ids `kept`. */
export function forgetHosts(storage: Storage, kept: readonly string[]): void {
  const [drafts, lives] = [storageName('draft.'), storageName('life.')];
  for (const key of Object.keys(storage)) {
    const host = key.startsWith(drafts)
      ? key.slice(drafts.length).split(' ', 1)[0]
      : key.startsWith(lives)
        ? key.slice(lives.length).split('.')[1]
        : undefined;
    if (host !== undefined && !kept.includes(host)) storage.removeItem(key);
  }
}

/** Deletes everything that names a host or comes from one, the tokens of other hosts included. The appearance of the page stays. */
export function forgetAllHosts(storage: Storage): void {
  forgetHosts(storage, []);
  for (const name of OF_HOSTS) storage.removeItem(storageName(name));
}

/** Calls `forget` with the storages of this browser and of this tab. */
export function inStorages(forget: (storage: Storage) => void): void {
  try {
    forget(localStorage);
    forget(sessionStorage);
  } catch {
    // A browser that denies storage keeps nothing.
  }
}
