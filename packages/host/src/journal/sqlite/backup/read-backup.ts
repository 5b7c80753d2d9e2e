import { errorText, hasCode } from '@agenthost/protocol/values';
import { extract, list, type ReadEntry } from 'tar';
import { BackupError } from '../../backup-error.ts';
import { CORE_FILES, isEntryName, MANIFEST } from './contents.ts';
import { type Manifest, readManifest } from './manifest.ts';

/** Limit of the size of the description, which is usually far smaller. */
const MAX_MANIFEST_BYTES = 65_536;

/** The content of a valid backup. */
export interface BackupContent {
  readonly manifest: Manifest;
  /** Size of all files, not compressed. */
  readonly bytes: number;
}

/**
 * Reads a whole backup and checks the names, kinds and sizes of all entries. Rejects with `BackupError`.
 */
export async function inspectBackup(file: string): Promise<BackupContent> {
  const invalid = (problem: string): BackupError => new BackupError('invalid', `${file}: ${problem}`);
  let fault: BackupError | undefined;
  let manifest: Manifest | undefined;
  let bytes = 0;
  const seen = new Map<string, number>();
  const take = (entry: ReadEntry): void => {
    if (fault !== undefined) return;
    const name = entry.path.replace(/\/$/, '');
    if (seen.size === 0 && name !== MANIFEST) {
      fault = invalid('this is not a backup of agenthost');
    } else if (entry.type !== 'File' && entry.type !== 'Directory') {
      fault = invalid(`${shown(name)} is neither a file nor a folder`);
    } else if (!isEntryName(name, entry.type === 'File' ? 'file' : 'folder')) {
      fault = invalid(`it has an unexpected entry ${shown(name)}`);
    } else if (seen.has(name)) {
      fault = invalid(`it has ${shown(name)} twice`);
    }
    seen.set(name, entry.size);
    bytes += entry.size;
    if (name !== MANIFEST || fault !== undefined) return;
    if (entry.size > MAX_MANIFEST_BYTES) {
      fault = invalid('the description in it is too long');
      return;
    }
    const parts: Buffer[] = [];
    entry.on('data', (part: Buffer) => parts.push(part));
    entry.on('end', () => {
      try {
        manifest = readManifest(Buffer.concat(parts).toString('utf8'), file);
      } catch (error) {
        if (!(error instanceof BackupError)) throw error;
        fault = error;
      }
    });
  };
  try {
    await list({ file, strict: true, onReadEntry: take });
  } catch (error) {
    throw fault ?? unreadable(error, file);
  }
  if (fault !== undefined) throw fault;
  if (manifest === undefined) throw invalid('this is not a backup of agenthost');
  for (const name of [...CORE_FILES, ...Object.keys(manifest.files)])
    if (seen.get(name) !== manifest.files[name])
      throw invalid(`${shown(name)} is missing or has another size than the description says`);
  return { manifest, bytes };
}

/** Extracts a backup that `inspectBackup` found valid. Only the owner can read the files. */
export async function extractBackup(file: string, folder: string): Promise<void> {
  try {
    await extract({ file, cwd: folder, strict: true, preserveOwner: false, umask: 0o077 });
  } catch (error) {
    throw unreadable(error, file);
  }
}

const shown = (name: string): string => JSON.stringify(name.slice(0, 100));

function unreadable(error: unknown, file: string): unknown {
  if (hasCode(error, 'ENOENT')) return new BackupError('target', `${file} does not exist`, { cause: error });
  if (hasCode(error, 'EISDIR')) return new BackupError('target', `${file} is a folder`, { cause: error });
  if (hasCode(error, 'EACCES'))
    return new BackupError('target', `${file} cannot be read (EACCES)`, { cause: error });
  if (hasCode(error, 'ENOSPC') || hasCode(error, 'EDQUOT'))
    return new BackupError('full', 'no room to extract the backup: free some disk space', { cause: error });
  return new BackupError('invalid', `${file} is damaged, incomplete or not a backup: ${errorText(error)}`, {
    cause: error,
  });
}
