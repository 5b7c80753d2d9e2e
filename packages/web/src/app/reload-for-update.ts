/** A second failure within this time has another cause than an update. Milliseconds. */
const REPEAT_MS = 60_000;
const KEY = 'agenthost.reloaded-at';

/**
 * Reloads the page when a part of it cannot be loaded, because the host was updated and has other files now. Not again within a minute: the view then
 * says that it failed.
 */
export function reloadForUpdate(): void {
  window.addEventListener('vite:preloadError', (event) => {
    const before = Number(sessionStorage.getItem(KEY));
    if (Date.now() - before < REPEAT_MS) return;
    event.preventDefault();
    sessionStorage.setItem(KEY, String(Date.now()));
    location.reload();
  });
}
