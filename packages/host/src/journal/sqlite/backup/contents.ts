/** The description in a backup, its first entry. */
export const MANIFEST = 'backup.json';

/** The files that every backup has. */
export const CORE_FILES = ['journal.db', 'seq', 'sent'] as const;

/** Other files of a data folder that a backup has if they exist. */
export const OTHER_FILES = ['owner-token', 'mcp-tokens.json', 'push-keys.json'] as const;

/** Folders of a data folder that a backup has if they exist. */
export const FOLDERS = ['tls', 'trees', 'plugins'] as const;

const FILES: ReadonlySet<string> = new Set([MANIFEST, ...CORE_FILES, ...OTHER_FILES]);
const PARENTS: ReadonlySet<string> = new Set(FOLDERS);

/** Whether a backup may have an entry of this name: a known file, or a path inside a known folder. */
export function isEntryName(name: string, kind: 'file' | 'folder'): boolean {
  const [first = '', ...rest] = name.split('/');
  if (rest.length === 0) return kind === 'file' ? FILES.has(first) : PARENTS.has(first);
  const isPlain = (part: string): boolean => !['', '.', '..'].includes(part) && !/[\\\0]/.test(part);
  return PARENTS.has(first) && rest.every(isPlain);
}
