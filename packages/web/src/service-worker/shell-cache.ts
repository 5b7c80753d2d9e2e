/// <reference lib="webworker" />

/** Names of the page's files, separated by spaces. The build fills it in, so each build has another worker. */
const FILES = '__FILES__';

/** Folder of the files whose names change with their content. */
const ASSETS = 'assets/';

/** A hash of the file names: caches of different builds have different names. */
const BUILD = hashOf(FILES);

/** Start of the names of a page's caches. Pages below several base paths of one origin share its caches. */
const cachesOf = (scope: string): string => `agenthost ${scope} `;

/** Key of the page itself. Its nonce and its content security policy are stored together, so they match. */
const SHELL = './';

/** Paths of views, see `app/router.tsx`. Below a path at the root of an origin there may be other programs, behind the same proxy. */
const VIEWS = /^(?:$|(?:s|new|terminals|settings)(?:\/|$))/;

/** Time limit for an answer of the host, in milliseconds; then the stored page is used. */
const PATIENCE_MS = 4_000;

/** Stores all files of this build. */
export async function fillCache(scope: string): Promise<void> {
  const cache = await caches.open(cachesOf(scope) + BUILD);
  // The shell must come from the host, not from the HTTP cache.
  await cache.put(new URL(SHELL, scope), await fetch(new URL(SHELL, scope), { cache: 'reload' }));
  await cache.addAll(FILES.split(' ').map((file) => new URL(file, scope).href));
}

/** Deletes the files of earlier builds. */
export async function dropOldCaches(scope: string): Promise<void> {
  const names = await caches.keys();
  const own = cachesOf(scope);
  await Promise.all(
    names.filter((name) => name.startsWith(own) && name !== own + BUILD).map((name) => caches.delete(name)),
  );
}

/** The answer to a request of a page; `undefined`: the browser asks the host as usual. */
export function answerFromCache(request: Request, scope: string): Promise<Response> | undefined {
  const url = new URL(request.url);
  if (request.method !== 'GET' || !url.href.startsWith(scope)) return undefined;
  const path = url.href.slice(scope.length).replace(/[?#].*/, '');
  if (path.startsWith(ASSETS)) return assetOf(request);
  // A link with a token must reach the host, which signs the browser in.
  const isSignIn = url.searchParams.has('token');
  const isView = request.mode === 'navigate' && !isSignIn && VIEWS.test(path);
  return isView ? shellOf(scope) : undefined;
}

async function assetOf(request: Request): Promise<Response> {
  return (await caches.match(request)) ?? fetch(request);
}

/**
 * The page from the host, else the stored one. All views have the same document. The request of the browser is not passed on: as a request of a
 * worker it would not count as loading a document, and the host would answer 404.
 */
async function shellOf(scope: string): Promise<Response> {
  try {
    const response = await fetch(new URL(SHELL, scope), { signal: AbortSignal.timeout(PATIENCE_MS) });
    // A proxy answers for a host that is away.
    if (response.status < 500) return response;
    return (await storedShell(scope)) ?? response;
  } catch (error) {
    const stored = await storedShell(scope);
    if (stored === undefined) throw error;
    return stored;
  }
}

const storedShell = (scope: string): Promise<Response | undefined> =>
  caches.match(new URL(SHELL, scope), { ignoreSearch: true });

function hashOf(text: string): string {
  let hash = 0;
  for (let index = 0; index < text.length; index += 1) hash = (hash * 31 + text.charCodeAt(index)) | 0;
  return (hash >>> 0).toString(36);
}
