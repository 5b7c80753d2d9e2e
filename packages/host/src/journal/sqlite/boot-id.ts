import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * The id of the machine's current boot; `undefined` when the system does not tell. Within one boot the writes of a killed process
 * survive. A power loss may lose the last ones.
 */
export function readBootId(): string | undefined {
  try {
    if (process.platform === 'linux') return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    if (process.platform === 'darwin') {
      return execFileSync('/usr/sbin/sysctl', ['-n', 'kern.bootsessionuuid'], { encoding: 'utf8' }).trim();
    }
    return undefined;
  } catch {
    // A container may hide the id. An unknown id counts as another boot, which costs snapshots and loses nothing.
    return undefined;
  }
}
