import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';

/**
 * Tells a process from a later one with the same pid: boot and clock ticks on Linux, the start as `ps` prints it
 * elsewhere. `undefined` when no such process runs. The host has the same for its agents (`process-identity.ts`); of the CLI
 * only `serve` may import the host, and this runs in every command that looks for one.
 */
export async function processStart(pid: number): Promise<string | undefined> {
  if (process.platform !== 'linux') return startByPs(pid);
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    // The command stands in parentheses and may hold anything: fields are counted from behind it. Field 3 is the state,
    // field 22 the start: see proc(5).
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8');
    return fields[0] === 'Z' ? undefined : `${boot.trim()}/${fields[19]}`;
  } catch {
    // It has ended, which is the answer.
    return undefined;
  }
}

function startByPs(pid: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    // `ps` fails when there is no such process, which is the answer.
    execFile('ps', ['-o', 'lstart=', '-p', String(pid)], { env: { LC_ALL: 'C' } }, (_error, stdout) => {
      const text = stdout.trim();
      resolve(text === '' ? undefined : text);
    });
  });
}
