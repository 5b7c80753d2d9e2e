import { readFileSync } from 'node:fs';

/**
 * Loaded into a host before it starts. Shifts its wall clock by the milliseconds in the file that `CLOCK_OFFSET_FILE` names, and reads that
 * file again at SIGUSR2. Timers and the monotonic clock stay unchanged, as when somebody sets the clock of the machine.
 */
const file = process.env['CLOCK_OFFSET_FILE'] ?? '';
const read = (): number => Number(readFileSync(file, 'utf8'));
let offsetMs = read();
const now = Date.now;
Date.now = () => now() + offsetMs;
globalThis.Date = new Proxy(Date, {
  construct: (target, given: [], newTarget) =>
    Reflect.construct(target, given.length === 0 ? [Date.now()] : given, newTarget),
});
process.on('SIGUSR2', () => {
  offsetMs = read();
  process.stderr.write(`the clock is off by ${offsetMs} ms\n`);
});
