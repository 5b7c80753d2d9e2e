// The thread that reads the pty it is lent for as long as a flood lasts.
import { readSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { SharedRing } from './shared-ring.ts';

/** How long the kernel gets to fetch what comes next, ms: much less than it takes a program to fill what lies between. */
const refillMs = 0.2;
/** Less than this within that many ms is no flood any more: reading is not worth looking for it all the time. */
const flood = { leastBytes: 32 * 1024, ms: 20 } as const;

const port = parentPort;
const { memory, layout }: { readonly memory: unknown; readonly layout: unknown } = workerData;
if (port === null || !(memory instanceof SharedArrayBuffer) || layout !== SharedRing.layout)
  throw new Error('the host that starts this is of another version');
// That nothing is there yet is told by an error, thousands of times a second.
Error.stackTraceLimit = 0;
const ring = new SharedRing(memory);
let [since, bytes] = [0, 0];
for (;;) {
  if (!ring.isLent) {
    ring.awaitLoan();
    [since, bytes] = [performance.now(), 0];
  }
  const room = ring.room();
  const fd = room.length === 0 ? undefined : ring.beginRead();
  if (fd === undefined) {
    ring.awaitRoom();
    [since, bytes] = [performance.now(), 0];
    continue;
  }
  const count = tryRead(fd, room);
  const mustTell = ring.endRead(count ?? 0);
  bytes += count ?? 0;
  const isOver = count === undefined || hasDriedUp();
  if (isOver) ring.giveBack();
  if (isOver || mustTell) port.postMessage(undefined);
  if (count === 0) ring.pause(refillMs);
}

function hasDriedUp(): boolean {
  const now = performance.now();
  if (now - since < flood.ms) return false;
  const isOver = bytes < flood.leastBytes;
  [since, bytes] = [now, 0];
  return isOver;
}

/** How much there was; undefined at the end of the pty, which the host finds out for itself. */
function tryRead(fd: number, room: Uint8Array): number | undefined {
  try {
    const count = readSync(fd, room);
    return count === 0 ? undefined : count;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EAGAIN' ? 0 : undefined;
  }
}
