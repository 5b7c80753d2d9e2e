/** The path below which the host serves the page: `/`, or `/agents/` behind a proxy. */
export function basePath(): string {
  const { pathname } = new URL(document.baseURI);
  // The development server does not replace the placeholder.
  return pathname.includes('__BASE_PATH__') ? '/' : pathname;
}

/** The URL of a path of this host, such as `sign-in`. */
export const hostUrl = (path: string): URL => new URL(`${basePath()}${path}`, location.origin);
