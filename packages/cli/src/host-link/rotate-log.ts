import { rename, stat } from 'node:fs/promises';
import { hasCode } from '@agenthost/protocol/values';

/** Size from which a log is set aside at the next start, as `<file>.1`. */
const MAX_LOG_BYTES = 1024 * 1024;

/** Keeps the output of hosts that are started often from growing without limit. A missing file is no error. */
export async function rotateLog(logFile: string): Promise<void> {
  try {
    if ((await stat(logFile)).size > MAX_LOG_BYTES) await rename(logFile, `${logFile}.1`);
  } catch (cause) {
    if (!hasCode(cause, 'ENOENT')) throw cause;
  }
}
