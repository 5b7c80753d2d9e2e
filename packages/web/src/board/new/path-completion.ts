/** A typed path, cut at its last slash. */
export interface TypedPath {
  /** The folder to list, without a slash at its end; `/` for the root folder. */
  readonly folder: string;
  /** The part behind the last slash. */
  readonly prefix: string;
}

/** Cuts an absolute path at its last slash; `undefined` for a path that is not absolute. */
export function splitPath(path: string): TypedPath | undefined {
  const forward = /^[A-Za-z]:\\/.test(path) ? path.replaceAll('\\', '/') : path;
  if (!forward.startsWith('/') && !/^[A-Za-z]:\//.test(forward)) return undefined;
  const at = forward.lastIndexOf('/');
  const folder = forward.slice(0, at);
  return {
    folder: folder === '' || folder.endsWith(':') ? `${folder}/` : folder,
    prefix: forward.slice(at + 1),
  };
}

/**
 * The names that begin with a prefix, without regard to case; those with the exact case first. Names with a dot in front only when the prefix
 * has one.
 */
export function matchingNames(names: readonly string[], prefix: string, limit: number): string[] {
  const lower = prefix.toLowerCase();
  const found = names.filter(
    (name) => name.toLowerCase().startsWith(lower) && (prefix.startsWith('.') || !name.startsWith('.')),
  );
  const exact = found.filter((name) => name.startsWith(prefix));
  return [...exact, ...found.filter((name) => !name.startsWith(prefix))].slice(0, limit);
}

/** The path of an entry of a folder. */
export const joinPath = (folder: string, name: string): string =>
  folder.endsWith('/') ? `${folder}${name}` : `${folder}/${name}`;

/** The folder above a path; `undefined` for a root folder. */
export const parentPath = (path: string): string | undefined => crumbsOf(path).at(-2)?.path;

/** The folders from the root to a path, for a breadcrumb. */
export function crumbsOf(path: string): { readonly name: string; readonly path: string }[] {
  const crumbs: { name: string; path: string }[] = [];
  const drive = /^[A-Za-z]:/.exec(path)?.[0] ?? '';
  let at = `${drive}/`;
  crumbs.push({ name: at, path: at });
  for (const name of path.slice(drive.length).split('/')) {
    if (name === '') continue;
    at = joinPath(at, name);
    crumbs.push({ name, path: at });
  }
  return crumbs;
}
