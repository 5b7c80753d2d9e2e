import { readFileSync } from 'node:fs';

/**
 * Loaded into a host before it starts: its wall clock is off by so many milliseconds as the file says that `CLOCK_OFFSET_FILE`
 * names, read anew at SIGUSR2. Timers and the steady clock stay as they are, as when somebody sets the machine's clock.
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
