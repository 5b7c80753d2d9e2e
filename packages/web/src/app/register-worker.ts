import { hostUrl } from './paths.ts';
import { scriptUrl } from './trusted-types.ts';

/**
 * Registers the service worker, which stores the page for times without a connection and shows notifications. Resolves with `undefined` where the
 * browser has none: over plain HTTP from another machine, and in some private windows.
 */
export async function registerWorker(): Promise<ServiceWorkerRegistration | undefined> {
  if (!('serviceWorker' in navigator) || import.meta.env.DEV) return undefined;
  try {
    return await navigator.serviceWorker.register(scriptUrl(hostUrl('sw.js')), { updateViaCache: 'none' });
  } catch (error) {
    // oxlint-disable-next-line no-console -- the browser's console is the page's only log
    console.warn('the service worker could not be registered', error);
    return undefined;
  }
}
