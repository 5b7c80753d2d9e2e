// The thread that reads the pty it is lent for as long as a flood lasts.
import { readSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { SharedRing } from './shared-ring.ts';

/** How long the kernel gets to fetch what comes next, ms: much less than it takes a program to fill what lies between. */
const refillMs = 0.2;
/** After so long without a byte the flood is over, ms. */
const quietMs = 8;

const port = parentPort;
const memory: unknown = workerData;
if (port === null || !(memory instanceof SharedArrayBuffer))
  throw new Error('this is started by the host only');
// That nothing is there yet is told by an error, thousands of times a second.
Error.stackTraceLimit = 0;
const ring = new SharedRing(memory);
let readAt = 0;
for (;;) {
  if (!ring.isLent) {
    ring.awaitLoan();
    readAt = performance.now();
  }
  const room = ring.room();
  const fd = room.length === 0 ? undefined : ring.beginRead();
  if (fd === undefined) {
    ring.awaitRoom();
    continue;
  }
  const count = tryRead(fd, room);
  const mustTell = ring.endRead(count ?? 0);
  const isOver = count === undefined || (count === 0 && performance.now() - readAt > quietMs);
  if (isOver) ring.giveBack();
  if (isOver || mustTell) port.postMessage(undefined);
  if (count === 0) ring.pause(refillMs);
  else readAt = performance.now();
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
