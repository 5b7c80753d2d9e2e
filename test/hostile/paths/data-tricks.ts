import { linkSync, mkdirSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';

/** A name for a file of the host in a working directory. */
export interface DataTrick {
  readonly name: string;
  /** Absolute and not normalized. */
  readonly path: string;
}

/** Files in a data folder after a start and a little work. */
export const OWN_FILES = ['owner-token', 'journal.db', 'journal.db-wal', 'seq', 'agenthost.log'] as const;

/** Names of the data folder, or with `leaf` of a file in it, through links that `plantLinks` has made. */
export function waysTo(work: string, data: string, leaf = ''): DataTrick[] {
  const name = basename(data);
  const tail = leaf === '' ? '' : `/${leaf}`;
  const ways: readonly (readonly [string, string])[] = [
    ['directly', `${data}${tail}`],
    ['with a slash too many', `${work}//${name}/${leaf}`],
    ['with a dot behind', `${data}${tail}/.`],
    ['by a dot', `${work}/./${name}/.${tail}`],
    ['by ..', `${work}/sub/../${name}${tail}`],
    ['by .. inside', `${data}/keepers/..${tail}`],
    ['by a link', `${work}/link${tail}`],
    ['by a link to a link', `${work}/over${tail}`],
    ['by a link up', `${work}/sub/up/${name}${tail}`],
    ['by the root of the process', `/proc/self/root${data}${tail}`],
    ['by the root of the process, in a link', `${work}/root${data}${tail}`],
    ['by the folder of the process', `/proc/self/cwd/${name}${tail}`],
    ...(leaf === '' ? [] : ([['by a link to the file', `${work}/to-${leaf}`]] as const)),
  ];
  return ways.map(([how, path]) => ({ name: `${leaf === '' ? 'the folder' : leaf} ${how}`, path }));
}

/** Hard links: only device and inode identify the file. */
export const hardLinksIn = (work: string): DataTrick[] =>
  OWN_FILES.map((leaf) => ({ name: `${leaf} by a hard link`, path: join(work, `hard-${leaf}`) }));

/** Makes the links of the tricks in `work`. */
export function plantLinks(work: string, data: string): void {
  mkdirSync(join(work, 'sub'));
  symlinkSync(data, join(work, 'link'));
  symlinkSync('link', join(work, 'over'));
  symlinkSync('..', join(work, 'sub/up'));
  symlinkSync('/proc/self/root', join(work, 'root'));
  for (const leaf of OWN_FILES) {
    symlinkSync(join(data, leaf), join(work, `to-${leaf}`));
    linkSync(join(data, leaf), join(work, `hard-${leaf}`));
  }
}
