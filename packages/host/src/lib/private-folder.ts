import { chmodSync, lstatSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import {
  AccessError,
  foreignOwner,
  isOpenToOthers,
  isRoot,
  isWritableByOthers,
  kindOfFile,
} from './file-facts.ts';

/**
 * Checks that a folder belongs to this user alone. Tightens its mode and returns sentences about that. Removes the file `secret` where others could write.
 * Throws `AccessError` when the folder or an entry belongs to another user, or when an entry is neither a file nor a folder, because opening it could block.
 * Root may use a folder of another user with that user's files; one of the sentences names the user.
 */
export function checkPrivateFolder(path: string, secret: string): readonly string[] {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory() !== true) return [];
  const owner = foreignOwner(found);
  if (owner !== undefined && !isRoot())
    throw new AccessError(
      `the data folder ${path} belongs to user ${owner}, who could replace everything in it: choose another, or change its owner`,
    );
  const wasWritable = isWritableByOthers(found);
  for (const name of readdirSync(path)) checkEntry(path, name, { wasWritable, tolerated: owner });
  const owned =
    owner === undefined
      ? []
      : [`the data folder ${path} belongs to user ${owner}, who can read and replace everything in it`];
  if (!isOpenToOthers(found)) return owned;
  const could = wasWritable ? 'written' : 'read';
  const hadSecret = wasWritable && lstatSync(join(path, secret), { throwIfNoEntry: false }) !== undefined;
  try {
    // Before the mode is tightened: after a kill in between, the next host must still see that the folder was open.
    if (hadSecret) rmSync(join(path, secret));
    chmodSync(path, 0o700);
  } catch (cause) {
    const message = `the data folder ${path} can be ${could} by others, and its mode cannot be changed: choose another`;
    throw new AccessError(message, { cause });
  }
  const replaced = hadSecret ? `, and ${secret} in it is made anew` : '';
  return [
    ...owned,
    `the data folder ${path} could be ${could} by others until now: its mode is 0700 from now on${replaced}`,
  ];
}

function checkEntry(
  folder: string,
  name: string,
  { wasWritable, tolerated }: { readonly wasWritable: boolean; readonly tolerated: number | undefined },
): void {
  const path = join(folder, name);
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  const owner = foreignOwner(found);
  // Root would follow the link of another user to any file.
  if (owner !== undefined && (owner !== tolerated || found.isSymbolicLink()))
    throw new AccessError(
      `${path} belongs to user ${owner}${wasWritable ? ', who could put it there because others could write the folder' : ''}: move it away, or change its owner`,
    );
  const target = found.isSymbolicLink() ? statSync(path, { throwIfNoEntry: false }) : found;
  if (target !== undefined && !target.isFile() && !target.isDirectory())
    throw new AccessError(
      `${path} is ${kindOfFile(target)}, and a host keeps no such thing there: remove it`,
    );
}
