import { registerWorker } from '../../app/register-worker.ts';

/** The subscription that this browser has; `undefined` when it has none. */
export async function presentSubscription(): Promise<PushSubscription | undefined> {
  const registration = await registerWorker();
  return (await registration?.pushManager.getSubscription()) ?? undefined;
}

/** Subscribes this browser with the key of a host. Rejects when the browser has no service worker, or its push service refuses. */
export async function subscribeBrowser(publicKey: string): Promise<PushSubscription> {
  if ((await registerWorker()) === undefined) throw new Error('this browser runs no service worker');
  const { pushManager } = await navigator.serviceWorker.ready;
  const present = await pushManager.getSubscription();
  // A subscription belongs to one key. The key is another one after the host lost its data.
  if (present !== null && keyOf(present) !== publicKey) await present.unsubscribe();
  return pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: publicKey });
}

/** Ends the subscription of this browser, if it has one. */
export async function unsubscribeBrowser(): Promise<void> {
  await (await presentSubscription())?.unsubscribe();
}

/** The key of a subscription in base64url. */
function keyOf({ options }: PushSubscription): string | undefined {
  const key = options.applicationServerKey;
  if (key === null) return undefined;
  return btoa(String.fromCharCode(...new Uint8Array(key)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');
}

/** A subscription as hosts take it. Throws for a browser that encrypts nothing. */
export function subscriptionInfo(subscription: PushSubscription): {
  readonly endpoint: string;
  readonly keys: { readonly p256dh: string; readonly auth: string };
} {
  const { p256dh, auth } = subscription.toJSON().keys ?? {};
  if (p256dh === undefined || auth === undefined) throw new Error('the subscription has no keys');
  return { endpoint: subscription.endpoint, keys: { p256dh, auth } };
}
