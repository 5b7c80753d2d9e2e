// The keeper's process: `node main.js <folder> <name> <task>`, started by `start.ts`. It imports as little as it can: people
// wait for it before their first terminal.
import { chmodSync, closeSync, writeSync } from 'node:fs';
import { isFindable, removeKeeperFiles, socketPath, withSocketAddress } from './folder.ts';
import { Keeper } from './keeper.ts';
import type { KeeperTask } from './start.ts';

const [folder, name, task] = process.argv.slice(2);
if (folder === undefined || name === undefined || task === undefined) {
  throw new Error('usage: main <folder> <name> <task>');
}

// Ends of terminals and keys that were meant for the host are not for us.
process.on('SIGHUP', () => {});
process.on('SIGINT', () => {});

const { build, limits }: KeeperTask = JSON.parse(task);
// Our log is where errors go.
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
// Everything is over and nothing is left to lose. An orderly exit would wait for what still holds handles of our ptys, and at times
// never returns from the end of V8's threads: a keeper was seen to stay for ever.
process.kill(process.pid, 'SIGKILL');

/** Tells whoever started us that we listen. */
function announce(): void {
  try {
    writeSync(3, '.');
    closeSync(3);
  } catch (error) {
    // Killed meanwhile, most likely. The next host finds us, or nobody does and we end.
    process.stderr.write(`nobody waited for this start: ${String(error)}\n`);
  }
}
