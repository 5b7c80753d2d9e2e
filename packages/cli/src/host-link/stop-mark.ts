import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hasCode } from '@agenthost/protocol/values';

/** How a host stops. 'drained': the command that stops it has waited for its turns. 'waiting': the host itself waits for them. */
export type StopMark = 'drained' | 'waiting';

const fileOf = (folder: string, pid: number): string => join(folder, `${pid}.stopping`);

/**
 * Marks a host as stopping, beside its record in `folder`, so that only one of several commands sends it a signal: a second one would end the
 * host at once. Returns the mark of an earlier command; `undefined` if this call has made the mark.
 */
export function markStopping(folder: string, pid: number, mark: StopMark): StopMark | undefined {
  try {
    writeFileSync(fileOf(folder, pid), mark, { flag: 'wx', mode: 0o600 });
    return undefined;
  } catch (error) {
    // On a full disk a host can be stopped too. Several commands at the same time may then each send a signal.
    return hasCode(error, 'EEXIST') ? (readStopMark(folder, pid) ?? 'waiting') : undefined;
  }
}

/** The mark of a host; `undefined` if it has none. */
export function readStopMark(folder: string, pid: number): StopMark | undefined {
  try {
    return readFileSync(fileOf(folder, pid), 'utf8') === 'drained' ? 'drained' : 'waiting';
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** Removes the mark of a process that has ended, or that has just started with this pid. */
export function removeStopMark(folder: string, pid: number): void {
  rmSync(fileOf(folder, pid), { force: true });
}
