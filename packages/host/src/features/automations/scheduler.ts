import type { Cancel, Clock, Timers } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Sync } from '../../sync/sync.ts';
import type { Tx } from '../../sync/tx.ts';
import type { Drain } from '../../turns/drain.ts';
import type { AutomationCatalogue } from './catalogue.ts';
import { counted, disabledIfDone } from './counting.ts';
import { endOfTime } from './disabling.ts';
import { missedBetween, withMissed } from './entry-notes.ts';
import type { AutomationRuns } from './runs.ts';

/** An occurrence that is handled later than this was missed [AUTO-6]. */
const LATE_MS = 60_000;
/** Longest wait. A timer does not run while the machine sleeps, and the clock may be set. */
const MAX_WAIT_MS = 60_000;

interface SchedulerParts {
  readonly sync: Sync;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  readonly catalogue: AutomationCatalogue;
  readonly runs: AutomationRuns;
  readonly drain: Drain;
}

/** Admits a run at each occurrence of a schedule [AUTO-15], and disables automations whose time is over [AUTO-12]. */
export class Scheduler {
  readonly #parts: SchedulerParts;
  #cancel: Cancel | undefined;
  #isStopped = false;

  constructor(parts: SchedulerParts) {
    this.#parts = parts;
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel?.();
  }

  /** Waits for the next occurrence. Without one, and while the host drains, there is no timer. */
  arm(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    const { clock, timers, catalogue, drain } = this.#parts;
    if (drain.isOn) return;
    const times = catalogue.entries.flatMap((entry) => {
      const end = entry.definition.enabled ? endOfTime(entry.definition) : undefined;
      const next = entry.nextRunAt === undefined ? [] : [Date.parse(entry.nextRunAt)];
      return end === undefined ? next : [...next, end];
    });
    if (this.#isStopped || times.length === 0) return;
    const wait = Math.min(Math.max(Math.min(...times) - clock.now(), 0), MAX_WAIT_MS);
    this.#cancel = timers.after(wait, () => this.#fire());
  }

  #fire(): void {
    const { sync, clock, catalogue, drain } = this.#parts;
    // The occurrence is handled when the drain is over, or by the next host.
    if (drain.isOn) return;
    const now = clock.now();
    const due = catalogue.entries.filter(
      ({ nextRunAt, definition }) =>
        (nextRunAt !== undefined && Date.parse(nextRunAt) <= now) ||
        (definition.enabled && (endOfTime(definition) ?? Number.POSITIVE_INFINITY) <= now),
    );
    for (const { resource } of due) sync.transact('host', (tx) => this.#handle(tx, resource, now));
    this.arm();
  }

  /** Admits the runs of one automation. The same transaction notes that their occurrences were handled. */
  #handle(tx: Tx, resource: string, now: number): void {
    const { catalogue, runs, log } = this.#parts;
    const entry = catalogue.entry(resource);
    const record = catalogue.record(resource);
    if (entry?.definition.enabled !== true || record === undefined || record.handledUpTo >= now) return;
    const upTo = Math.min(now, endOfTime(entry.definition) ?? now);
    catalogue.setRecord(tx, { ...record, handledUpTo: now });
    let current = withMissed(entry, undefined);
    for (const trigger of entry.definition.triggers) {
      const schedule = catalogue.scheduleOf(trigger);
      const at = schedule?.latest(record.handledUpTo, upTo);
      if (schedule === undefined || at === undefined || trigger.kind !== 'schedule') continue;
      if (!current.definition.enabled) continue;
      const isLate = now - at > LATE_MS;
      const isMadeUp = trigger.misfirePolicy !== 'skip';
      const missed = missedBetween(schedule, record.handledUpTo, isLate ? at : at - 1);
      if (missed !== undefined) {
        current = withMissed(current, { ...missed, isMadeUp });
        log.info(
          { automation: resource, trigger: trigger.id, ...missed, isMadeUp },
          'runs of an automation were missed',
        );
      }
      if (isLate && !isMadeUp) continue;
      current = counted(current);
      runs.admit(tx, current, {
        kind: 'trigger',
        triggerId: trigger.id,
        scheduledFor: new Date(at).toISOString(),
        ...(isLate ? { catchUp: true } : {}),
      });
    }
    catalogue.publish(tx, disabledIfDone(current, now));
  }
}
