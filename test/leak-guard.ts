// Runs around every test file. A file fails when it leaves a child process, socket, server, watcher or timer open after its tests, since
// a host with the same leak would leak for weeks.
import { afterAll, beforeAll, expect } from 'vitest';

/** The real timer, before a test installs fake ones. */
const { setTimeout: realSetTimeout } = globalThis;

const WATCHED = new Set([
  'ProcessWrap',
  'TCPServerWrap',
  'TCPSocketWrap',
  'FSEventWrap',
  'StatWatcher',
  'Timeout',
]);

/** Time for sockets to close and children to exit, also on a loaded machine. */
const GRACE_MS = 15_000;
const POLL_MS = 20;

function countOpen(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo()) {
    if (WATCHED.has(kind)) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return counts;
}

/** Counts before the tests, which belong to the runner. Its timers are short, so the wait below suffices for them. */
let before = new Map<string, number>();

function leaks(): string[] {
  return [...countOpen()].flatMap(([kind, count]) => {
    const extra = kind === 'Timeout' ? count : count - (before.get(kind) ?? 0);
    return extra > 0 ? [`${extra} × ${kind}`] : [];
  });
}

beforeAll(() => {
  before = countOpen();
});

// Registered first, so it runs after the file's own hooks.
afterAll(async () => {
  for (let waitedMs = 0; leaks().length > 0 && waitedMs < GRACE_MS; waitedMs += POLL_MS) {
    await new Promise((resolve) => realSetTimeout(resolve, POLL_MS));
  }
  expect(leaks(), 'left open when the tests of this file were over').toEqual([]);
});
