import { type Finding, fault, ok, warning } from './finding.ts';

const MINUTE_MS = 60_000;
const YEAR_MS = 365 * 24 * 60 * MINUTE_MS;

/** Facts about clocks, in ms. */
export interface ClockFacts {
  /** The clock of this process. */
  readonly now: number;
  /** The newest change in the journal; 0: none. */
  readonly newestTime: number;
  /** The clock of the host on this machine. Absent: no host. */
  readonly hostNow?: number;
  /** Time by which the host's clock was set since its start; negative: back. Absent: no host. */
  readonly movedMs?: number;
}

/** Checks the clock against the newest change and against the host's. */
export function checkClock({ now, newestTime, hostNow, movedMs }: ClockFacts): Finding {
  const time = new Date(now).toISOString();
  const set = 'set the clock of this machine, or start its time service';
  if (newestTime - now > MINUTE_MS)
    return fault('clock', `${time} is ${span(newestTime - now)} before the newest change`, set);
  if (hostNow !== undefined && Math.abs(hostNow - now) > MINUTE_MS)
    return warning('clock', `${time}, but the host's clock differs by ${span(Math.abs(hostNow - now))}`, set);
  if (movedMs !== undefined && movedMs < -MINUTE_MS)
    return warning('clock', `it was set back by ${span(-movedMs)} while the host ran`, set);
  if (newestTime > 0 && now - newestTime > YEAR_MS)
    return warning(
      'clock',
      `${time} is ${span(now - newestTime)} after the newest change`,
      `if that is wrong: ${set}`,
    );
  return ok('clock', time);
}

function span(ms: number): string {
  const minutes = Math.round(ms / MINUTE_MS);
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} days`;
}
