import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * Tells one boot of the machine from the next, or `undefined` where the system does not say. What a process wrote before a
 * kill outlives it within one boot; a power loss may take the last moments with it.
 */
export function readBootId(): string | undefined {
  try {
    if (process.platform === 'linux') return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    if (process.platform === 'darwin') {
      return execFileSync('/usr/sbin/sysctl', ['-n', 'kern.bootsessionuuid'], { encoding: 'utf8' }).trim();
    }
    return undefined;
  } catch {
    // A container may hide it: unknown is treated as another boot, which costs snapshots and loses nothing.
    return undefined;
  }
}
