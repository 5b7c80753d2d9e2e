import type { ChangesetLeftOut, ChangesetLeftOutFile, URI } from '@agenthost/protocol';
import { oneLine } from '../render/plain-text.ts';
import { pathIn } from './file-names.ts';

/** Files that the line names. */
const MAX_SHOWN = 5;

const REASONS: ReadonlyMap<string, string> = new Map([
  ['large', 'over 10 MB'],
  ['repository', 'a repository'],
  ['ignored', 'ignored by git'],
  ['unreadable', 'not readable'],
  ['name', 'its name is not UTF-8'],
]);

/** Names the files that changes leave out, such as `left out: film.mp4 (over 10 MB), …and 3 more`. `undefined`: none. */
export function leftOutLine(
  leftOut: ChangesetLeftOut | undefined,
  folders: readonly URI[],
): string | undefined {
  if (leftOut === undefined || leftOut.count === 0) return undefined;
  const shown = leftOut.files.slice(0, MAX_SHOWN);
  const more = leftOut.count - shown.length;
  const names = shown.map((file) => `${oneLine(pathIn(folders, file.uri), 200)} (${reasonOf(file)})`);
  if (names.length === 0)
    return leftOut.count === 1 ? 'left out: 1 file' : `left out: ${leftOut.count} files`;
  return `left out: ${[...names, ...(more > 0 ? [`…and ${more} more`] : [])].join(', ')}`;
}

const reasonOf = ({ reason }: ChangesetLeftOutFile): string => REASONS.get(reason) ?? oneLine(reason, 100);
