import type { ChangesetHandle } from '@agenthost/client';
import type { ChangesetFile, URI } from '@agenthost/protocol';
import { errorSentence } from '../host-link/host-errors.ts';
import { CliError, EXIT } from '../process/exit.ts';
import { modeOfVersion, nameOf } from './change-lines.ts';
import { pathIn } from './file-names.ts';
import { gitPatch, type PatchFile, type PatchVersion } from './git-patch.ts';

/** Reads both versions of a file. Rejects with a `CliError` that names the file. */
export async function versionsOf(
  changes: ChangesetHandle,
  file: ChangesetFile,
  folders: readonly URI[],
): Promise<PatchFile> {
  try {
    const [before, after] = await Promise.all([
      versionOf(changes, file, 'before', folders),
      versionOf(changes, file, 'after', folders),
    ]);
    return { ...(before && { before }), ...(after && { after }) };
  } catch (cause) {
    const message = `${nameOf(file, folders)}: ${errorSentence(cause)}`;
    throw new CliError(EXIT.error, message, { cause });
  }
}

async function versionOf(
  changes: ChangesetHandle,
  file: ChangesetFile,
  side: 'before' | 'after',
  folders: readonly URI[],
): Promise<PatchVersion | undefined> {
  const content = await changes.content(file, side);
  const uri = file.edit[side]?.uri;
  if (content === undefined || uri === undefined) return undefined;
  // A path outside of the folders is absolute; git takes none that begins with a slash.
  const path = pathIn(folders, uri).replace(/^\/+/, '');
  return { path, mode: modeOfVersion(file, side), bytes: content.bytes };
}

/** The patch of a file, one character for each byte; see `gitPatch`. */
export async function patchOf(
  changes: ChangesetHandle,
  file: ChangesetFile,
  { folders, isBinaryFull }: { readonly folders: readonly URI[]; readonly isBinaryFull: boolean },
): Promise<string> {
  return gitPatch(await versionsOf(changes, file, folders), isBinaryFull);
}
