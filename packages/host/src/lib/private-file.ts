import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, openSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { hasCode } from '@agenthost/protocol/values';
import { ensureFolder } from './ensure-folder.ts';

/**
 * Creates a file of mode 0600 with all of its content or not at all. Does nothing when it exists: of two processes that create it at the same
 * time, both use the file of the first. Throws the system's error.
 */
export function createPrivateFile(path: string, text: string): void {
  const temporary = `${path}.${process.pid}-${randomBytes(4).toString('hex')}`;
  try {
    ensureFolder(dirname(path));
    const file = openSync(temporary, 'wx', 0o600);
    try {
      writeSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    linkSync(temporary, path);
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
}
