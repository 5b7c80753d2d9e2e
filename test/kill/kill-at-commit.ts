// Loaded into a host before its own code (`node --import`). Kills the host with SIGKILL right before or right after a chosen commit, once
// the file that `KILL_ORDER` names exists. `before 3` means before the third commit from then on.
import { existsSync, readFileSync } from 'node:fs';
import { StatementSync } from 'node:sqlite';

const orderFile = process.env['KILL_ORDER'] ?? '';
const { run } = StatementSync.prototype;
let order: { readonly moment: string; left: number } | undefined;

function counted(this: StatementSync, ...values: Parameters<typeof run>): ReturnType<typeof run> {
  if (this.sourceSQL !== 'COMMIT' || orderFile === '') return Reflect.apply(run, this, values);
  if (order === undefined && existsSync(orderFile)) {
    // The file may still be empty.
    const [, moment = '', count] = /^(before|after) (\d+)$/.exec(readFileSync(orderFile, 'utf8')) ?? [];
    if (count !== undefined) order = { moment, left: Number(count) };
  }
  if (order !== undefined) order.left -= 1;
  if (order?.left === 0 && order.moment === 'before') process.kill(process.pid, 'SIGKILL');
  const result = Reflect.apply(run, this, values);
  if (order?.left === 0) process.kill(process.pid, 'SIGKILL');
  return result;
}

Object.defineProperty(StatementSync.prototype, 'run', { value: counted });
