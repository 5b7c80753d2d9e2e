import type { HostLink } from '../live/host-link.ts';
import { text } from '../text/text.ts';
import { showToast } from '../ui/toasts.tsx';

/** The longest delay of a timer, so that the toast stays until it is used or dismissed. */
const LIFETIME_MS = 2_147_483_647;

/**
 * Offers to reload the page when a new version of it has taken over, and looks for one after each reconnect to the host. Returns a function that
 * stops it.
 */
export function followUpdates(link: HostLink): () => void {
  if (!('serviceWorker' in navigator)) return () => undefined;
  const { serviceWorker } = navigator;
  // The first worker of a browser takes over a page of its own version.
  let hasWorker = serviceWorker.controller !== null;
  let hide: (() => void) | undefined;
  const tookOver = (): void => {
    if (hasWorker)
      hide ??= showToast({
        message: text.attention.updated,
        lifetimeMs: LIFETIME_MS,
        action: { label: text.attention.reload, run: () => location.reload() },
      });
    hasWorker = true;
  };
  let wasOnline = link.status.state === 'online';
  const stopLink = link.onChange(() => {
    const isOnline = link.status.state === 'online';
    if (isOnline && !wasOnline) void lookForUpdate(serviceWorker);
    wasOnline = isOnline;
  });
  serviceWorker.addEventListener('controllerchange', tookOver);
  return () => {
    serviceWorker.removeEventListener('controllerchange', tookOver);
    stopLink();
    hide?.();
  };
}

async function lookForUpdate(serviceWorker: ServiceWorkerContainer): Promise<void> {
  try {
    await (await serviceWorker.getRegistration())?.update();
  } catch {
    // The browser looks again at the next visit.
  }
}
