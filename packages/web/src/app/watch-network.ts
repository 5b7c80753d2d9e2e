/** Time in which hosts must answer after the browser went offline, in milliseconds. Only hosts on the same device can. */
const OFFLINE_CHECK_MS = 1_000;

/**
 * Calls `check` when connections may have died unnoticed: the device woke up, the network changed or is gone, or the browser brought the page back.
 * `withinMs`: time in which hosts must answer; absent: the client's default. Returns a function that stops it.
 */
export function watchNetwork(check: (withinMs?: number) => void): () => void {
  const onOnline = (): void => check();
  const onOffline = (): void => check(OFFLINE_CHECK_MS);
  const onVisible = (): void => {
    if (document.visibilityState === 'visible') check();
  };
  const onShow = (event: PageTransitionEvent): void => {
    if (event.persisted) check();
  };
  window.addEventListener('online', onOnline);
  window.addEventListener('offline', onOffline);
  window.addEventListener('pageshow', onShow);
  document.addEventListener('visibilitychange', onVisible);
  return () => {
    window.removeEventListener('online', onOnline);
    window.removeEventListener('offline', onOffline);
    window.removeEventListener('pageshow', onShow);
    document.removeEventListener('visibilitychange', onVisible);
  };
}
