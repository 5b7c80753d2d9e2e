import { accessSync, constants, existsSync, readdirSync, readFileSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { errorText } from '@agenthost/protocol/values';
import { commandLine } from '../process/own-command.ts';
import { bytes } from '../render/session-line.ts';
import { type Finding, fault, ok, warning } from './finding.ts';

const MEBIBYTE = 1024 * 1024;

/** With less free space, the next turn may fill the disk. */
const LEAST_FREE_BYTES = 100 * MEBIBYTE;
const LITTLE_FREE_BYTES = 1024 * MEBIBYTE;

/** Files that hold secrets. */
const SECRETS = ['owner-token', 'journal.db', 'mcp-tokens.json', 'push-keys.json', 'tls'] as const;

/** Checks the owner and the modes of a data folder that exists. `uid`: the user; `undefined` where users have no ids. */
export function checkAccess(dataDir: string, uid: number | undefined): Finding {
  const found = statSync(dataDir);
  if (!found.isDirectory())
    return fault(
      'folder',
      `${dataDir} is not a folder`,
      'move it away, or choose another folder with --data',
    );
  if (uid !== undefined && found.uid !== uid)
    return (uid === 0 ? warning : fault)(
      'folder',
      `${dataDir} belongs to user ${found.uid}, who can replace everything in it`,
      `run the host as that user, or change the owner: chown -R ${uid} ${dataDir}`,
    );
  try {
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (cause) {
    return fault('folder', `${dataDir} cannot be written (${errorText(cause)})`, `chmod 700 ${dataDir}`);
  }
  const open = ['', ...SECRETS]
    .map((name) => join(dataDir, name))
    .filter((path) => existsSync(path) && (statSync(path).mode & 0o077) !== 0);
  if (open.length > 0 && process.platform !== 'win32')
    return warning('folder', `other users can open ${open.join(', ')}`, `chmod go= ${open.join(' ')}`);
  return ok('folder', `${dataDir} belongs to this user alone`);
}

/** Checks the free space of the disk of a folder that exists. */
export function checkDisk(dataDir: string): Finding {
  const { bavail, bsize, blocks } = statfsSync(dataDir);
  const free = bavail * bsize;
  const detail = `${bytes(free)} of ${bytes(blocks * bsize)} free`;
  const hint = `free disk space; without it the host refuses changes. \`${commandLine('sessions rm')}\` deletes sessions`;
  if (free < LEAST_FREE_BYTES) return fault('disk', detail, hint);
  return free < LITTLE_FREE_BYTES ? warning('disk', detail, hint) : ok('disk', detail);
}

/**
 * Counts the processes that hold terminals, by their sockets. On Linux it reports ended ones: their sockets are not in the list of the kernel. It makes
 * no connections, which would disturb the processes.
 */
export function checkKeepers(dataDir: string, platform: NodeJS.Platform): Finding {
  const folder = join(dataDir, 'keepers');
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.sock')) : [];
  if (names.length === 0) return ok('keepers', 'none: no terminal is open, or the host runs them itself');
  if (platform !== 'linux') return ok('keepers', `${names.length} with open terminals`);
  const listening = readFileSync('/proc/net/unix', 'utf8').split('\n');
  const gone = names.filter((name) => !listening.some((line) => line.endsWith(`/${name}`)));
  if (gone.length === 0) return ok('keepers', `${names.length} running, with open terminals`);
  return warning(
    'keepers',
    `${gone.length} of ${names.length} ended without removing their sockets: ${gone.join(', ')}`,
    'restart the host: it removes the files and shows the terminals as ended',
  );
}
