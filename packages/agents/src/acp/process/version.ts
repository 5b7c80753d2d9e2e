import { execFile } from 'node:child_process';
import type { AcpLog } from '../runtime.ts';

/** How long a command may take to say its version. */
const VERSION_TIMEOUT_MS = 5_000;

/** What `<command> --version` says, or `undefined` when it says nothing that looks like one in time. */
export function runVersion(
  file: string,
  env: Readonly<Record<string, string>>,
  log: AcpLog,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = execFile(
      file,
      ['--version'],
      { env, timeout: VERSION_TIMEOUT_MS, killSignal: 'SIGKILL', maxBuffer: 64 * 1024 },
      (error, stdout) => {
        if (error !== null) log('debug', 'no version', { file, error: error.message });
        resolve(/\d+\.\d+[^\s,;)]*/.exec(stdout)?.[0]);
      },
    );
    // One that takes `--version` for a start of the protocol sees the end of its input.
    child.stdin?.end();
  });
}
