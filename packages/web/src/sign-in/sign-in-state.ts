import { hostUrl } from '../app/paths.ts';
import { forgetAllHosts, inStorages } from '../live/forget-hosts.ts';
import type { Hosts } from '../live/hosts.ts';
import { storageName } from '../live/storage-name.ts';
import { clearSavedStates } from '../offline/saved-states.ts';

/** The host's answer to `GET sign-in/state`. */
export interface SignInState {
  readonly signedIn: boolean;
  /** Where the owner's token is, in words. Absent: the host does not say. */
  readonly tokenPlace?: string;
  /** Name of the OpenID Connect provider that signs people in. Absent: none does. */
  readonly provider?: string;
}

/** Result of an attempt to sign in. */
export type SignInResult =
  | { readonly ok: true }
  | { readonly ok: false; readonly reason: string; readonly waitMs: number };

/** Asks whether this browser is signed in. Rejects when the host does not answer. */
export async function readSignInState(): Promise<SignInState> {
  const response = await fetch(hostUrl('sign-in/state'), { cache: 'no-store' });
  const body: unknown = await response.json();
  if (typeof body !== 'object' || body === null) throw new Error('the host sent no sign-in state');
  const place: unknown = Reflect.get(body, 'tokenPlace');
  const oidc: unknown = Reflect.get(body, 'oidc');
  const provider: unknown = typeof oidc === 'object' && oidc !== null ? Reflect.get(oidc, 'name') : undefined;
  return {
    signedIn: Reflect.get(body, 'signedIn') === true,
    ...(typeof place === 'string' ? { tokenPlace: place } : {}),
    ...(typeof provider === 'string' ? { provider } : {}),
  };
}

/** Exchanges a token for the browser's cookie. Rejects when the host does not answer. */
export async function signIn(token: string): Promise<SignInResult> {
  const response = await fetch(hostUrl('sign-in'), {
    method: 'POST',
    headers: { accept: 'application/json' },
    body: new URLSearchParams({ token }),
    redirect: 'error',
  });
  const body: unknown = await response.json();
  const read = (key: string): unknown =>
    typeof body === 'object' && body !== null ? Reflect.get(body, key) : undefined;
  if (response.ok && read('ok') === true) return { ok: true };
  const [reason, waitMs] = [read('reason'), read('waitMs')];
  return {
    ok: false,
    reason: typeof reason === 'string' ? reason : `HTTP ${response.status}`,
    waitMs: typeof waitMs === 'number' ? waitMs : 0,
  };
}

const SIGN_OUT = 'sign-out';

/**
 * Ends this browser's sign-in, deletes what it keeps of all hosts, and shows the sign-in page in all tabs. Rejects when the host does not answer, or
 * refuses.
 */
export async function signOut(hosts: Hosts): Promise<void> {
  const headers = { accept: 'application/json' };
  const response = await fetch(hostUrl('logout'), { method: 'POST', headers, redirect: 'error' });
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  const tabs = new BroadcastChannel(storageName(SIGN_OUT));
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel takes no origin
  tabs.postMessage(SIGN_OUT);
  tabs.close();
  await leave(hosts);
}

/** Leaves all hosts when another tab signs out. Returns a function that stops it. */
export function followSignOut(hosts: Hosts): () => void {
  const tabs = new BroadcastChannel(storageName(SIGN_OUT));
  tabs.addEventListener('message', () => void leave(hosts));
  return () => tabs.close();
}

async function leave(hosts: Hosts): Promise<void> {
  // A closed link saves nothing any more.
  for (const link of hosts.links) link.close();
  // A browser without IndexedDB has no copy.
  await clearSavedStates().catch(() => undefined);
  const forget = (): void => inStorages(forgetAllHosts);
  forget();
  // The message field saves its draft when the page goes.
  window.addEventListener('pagehide', forget);
  location.assign(hostUrl(''));
}
