import { hostUrl } from '../app/paths.ts';
import { storageName } from '../live/storage-name.ts';

/** What an authorization server returned to this browser with. `id` is the `state` of the redirect. */
export interface Returned {
  readonly id: string;
  readonly code?: string;
  readonly iss?: string;
  /** Why there is no code. */
  readonly error?: string;
}

const CHANNEL = 'oauth';

/** The last part of the address of this page that authorization servers return to. */
export const SIGNED_IN = 'signed-in';

/** Address of this page that authorization servers return to. */
export const redirectUri = (): string => hostUrl(`settings/${SIGNED_IN}`).href;

/** Reads the query of a redirect. `undefined`: it names no sign-in. */
export function readReturned(search: string): Returned | undefined {
  const params = new URLSearchParams(search);
  const [id, code, iss] = [params.get('state'), params.get('code'), params.get('iss')];
  if (id === null || id === '') return undefined;
  const reason = [params.get('error'), params.get('error_description')].filter((each) => each !== null);
  if (code === null || reason.length > 0) return { id, error: reason.join(': ') || 'no code' };
  return { id, code, ...(iss === null ? {} : { iss }) };
}

/** Passes a redirect to the tab that began the sign-in. Resolves with whether a tab has taken it, after at most `patienceMs`. */
export function passReturned(returned: Returned, patienceMs: number): Promise<boolean> {
  const tabs = new BroadcastChannel(storageName(CHANNEL));
  return new Promise<boolean>((resolve) => {
    const timer = setTimeout(() => end(false), patienceMs);
    const end = (isTaken: boolean): void => {
      clearTimeout(timer);
      tabs.close();
      resolve(isTaken);
    };
    tabs.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
      if (isObject(data) && data['taken'] === returned.id) end(true);
    });
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel takes no origin
    tabs.postMessage(returned);
  });
}

/** Calls back when another tab returns with the sign-in `id`. Returns a function that stops it. */
export function onReturned(id: string, listener: (returned: Returned) => void): () => void {
  const tabs = new BroadcastChannel(storageName(CHANNEL));
  tabs.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    if (!isObject(data) || data['id'] !== id) return;
    const [code, iss, error] = [textOf(data['code']), textOf(data['iss']), textOf(data['error'])];
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel takes no origin
    tabs.postMessage({ taken: id });
    listener({
      id,
      ...(code === undefined ? {} : { code }),
      ...(iss === undefined ? {} : { iss }),
      ...(error === undefined ? {} : { error }),
    });
  });
  return () => tabs.close();
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
