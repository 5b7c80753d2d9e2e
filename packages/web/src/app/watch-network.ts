/**
 * Calls `check` when connections may have died unnoticed: the device woke up, the network changed, or the browser brought the page back. Returns a
 * function that stops it.
 */
export function watchNetwork(check: () => void): () => void {
  const onVisible = (): void => {
    if (document.visibilityState === 'visible') check();
  };
  const onShow = (event: PageTransitionEvent): void => {
    if (event.persisted) check();
  };
  window.addEventListener('online', check);
  window.addEventListener('pageshow', onShow);
  document.addEventListener('visibilitychange', onVisible);
  return () => {
    window.removeEventListener('online', check);
    window.removeEventListener('pageshow', onShow);
    document.removeEventListener('visibilitychange', onVisible);
  };
}
