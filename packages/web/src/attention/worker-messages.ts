import { hostUrl } from '../app/paths.ts';
import { Emitter } from '../live/emitter.ts';

/** A message of the service worker to its pages. */
export type WorkerMessage =
  /** A notification was chosen: show this path below the page's base. */
  | { readonly type: 'open'; readonly url: string }
  /** The test notification arrived. */
  | { readonly type: 'testArrived' };

/** Reads a message of the service worker; `undefined` for anything else. */
export function readWorkerMessage(data: unknown): WorkerMessage | undefined {
  if (typeof data !== 'object' || data === null) return undefined;
  const [type, url]: unknown[] = [Reflect.get(data, 'type'), Reflect.get(data, 'url')];
  if (type === 'testArrived') return { type };
  return type === 'open' && typeof url === 'string' ? { type, url } : undefined;
}

/** The path of a notification within the page, with the base path; `undefined` when it leads elsewhere. */
export function pathWithin(url: string, base: URL): string | undefined {
  if (!URL.canParse(url.replace(/^\/+/, ''), base)) return undefined;
  const { origin, pathname, search, href } = new URL(url.replace(/^\/+/, ''), base);
  return origin === base.origin && href.startsWith(base.href) ? `${pathname}${search}` : undefined;
}

const arrived = new Emitter();

/** Calls `listener` when a test notification arrived in this browser. Returns a function that removes it. */
export const onTestArrived = (listener: () => void): (() => void) => arrived.add(listener);

/** Handles messages of the service worker; `open` gets the path to show. Returns a function that stops it. */
export function followWorker(open: (path: string) => void): () => void {
  if (!('serviceWorker' in navigator)) return () => undefined;
  const { serviceWorker } = navigator;
  const receive = ({ data }: MessageEvent): void => {
    const message = readWorkerMessage(data);
    if (message === undefined) return;
    if (message.type === 'testArrived') return arrived.emit();
    const path = pathWithin(message.url, hostUrl(''));
    if (path !== undefined) open(path);
  };
  serviceWorker.addEventListener('message', receive);
  serviceWorker.startMessages();
  return () => serviceWorker.removeEventListener('message', receive);
}
