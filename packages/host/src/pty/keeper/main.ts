// The program of the keeper: `node main.js <folder> <name> <task>`, started by `start.ts`. It imports little, because the first terminal
// waits for it.
import { chmodSync, closeSync, writeSync } from 'node:fs';
import { isFindable, removeKeeperFiles, socketPath, withSocketAddress } from './folder.ts';
import { Keeper } from './keeper.ts';
import type { KeeperTask } from './start.ts';

const [folder, name, task] = process.argv.slice(2);
if (folder === undefined || name === undefined || task === undefined) {
  throw new Error('usage: main <folder> <name> <task>');
}

// Signals of the host's terminal are not meant for the keeper.
process.on('SIGHUP', () => {});
process.on('SIGINT', () => {});

const { build, limits }: KeeperTask = JSON.parse(task);
// stderr is the log of the keeper.
const isReachable = (): boolean => isFindable(folder, name, process.stderr.fd);
const keeper = new Keeper({ build, limits, isReachable });
process.on('SIGTERM', () => void keeper.close());

try {
  await withSocketAddress(folder, name, (address) => keeper.listen(address));
  chmodSync(socketPath(folder, name), 0o600);
} catch (error) {
  process.stderr.write(`${String(error)}\n`);
  process.exit(1);
}
announce();
await keeper.ended;
removeKeeperFiles(folder, name);
// Nothing is left to lose. An orderly exit would wait for open handles of ptys, and sometimes never returns while it ends the threads of
// V8.
process.kill(process.pid, 'SIGKILL');

/** Tells `start.ts` that the keeper listens. */
function announce(): void {
  try {
    writeSync(3, '.');
    closeSync(3);
  } catch (error) {
    // The host was probably killed. The next host finds this keeper, or the keeper ends by itself.
    process.stderr.write(`nobody waited for this start: ${String(error)}\n`);
  }
}
