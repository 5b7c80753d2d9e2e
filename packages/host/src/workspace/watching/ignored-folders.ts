import { namesBelow } from './watch-filter.ts';

/** Folders with the data of version control, which change with every command and which nobody opens. */
const STORES: readonly (readonly [string, string])[] = [
  ['.git', 'objects'],
  ['.git', 'subtree-cache'],
  ['.hg', 'store'],
];

/**
 * Whether a path is never reported below a root: the content of `node_modules`, and the data of version control, as editors leave it out. The
 * other files in `.git` tell which branch is checked out. A watch of such a folder itself reports its content.
 */
export function isNeverReported(root: string, path: string): boolean {
  const names = namesBelow(root, path);
  const modules = names.indexOf('node_modules');
  if (modules >= 0 && modules < names.length - 1) return true;
  return names.some((name, at) => STORES.some(([above, below]) => name === below && names[at - 1] === above));
}
