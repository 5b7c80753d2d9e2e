import {
  AUTOMATIONS_URI,
  type AutomationDefinition,
  type AutomationEntry,
  type AutomationRunSummary,
  type TokenScope,
} from '@agenthost/protocol';
import { compileSchedule, InvalidSchedule, type Schedule } from '@agenthost/protocol/schedule';
import { defined } from '@agenthost/protocol/values';
import type { Log } from '../../lib/log.ts';
import type { Channel } from '../../sync/channel.ts';
import type { Sync } from '../../sync/sync.ts';
import type { Tx } from '../../sync/tx.ts';

/** Number of runs that an entry shows at first, and of those that each page adds [AUTO-11]. */
const PAGE = 10;

/** The party whose rights the runs of an automation have: the last that saved it. */
export interface Saver {
  readonly clientId: string;
  readonly tokenHash: string;
  readonly scope: TokenScope;
  readonly isAdmin: boolean;
  readonly locale: string;
}

/** What the host keeps of an automation besides its entry. */
export interface AutomationRecord {
  readonly resource: string;
  readonly by: Saver;
  /** All occurrences up to this time were handled; ms since the epoch. */
  readonly handledUpTo: number;
  /** Newest first. */
  readonly runs: readonly AutomationRunSummary[];
}

/** An entry without the fields that follow from its record. */
type Kept = Omit<AutomationEntry, 'runs' | 'runsNextCursor' | 'nextRunAt' | 'operations'>;

/** The channel of automations, and the record of each. */
export class AutomationCatalogue {
  readonly #sync: Sync;
  readonly #log: Log;
  readonly #records = new Map<string, AutomationRecord>();
  /** Number of runs that each entry shows, where clients have asked for more. */
  readonly #shown = new Map<string, number>();
  readonly #schedules = new WeakMap<object, Schedule | 'invalid'>();

  constructor({ sync, log }: { readonly sync: Sync; readonly log: Log }) {
    this.#sync = sync;
    this.#log = log;
  }

  /** Loads or creates the channel. Call before anything else. */
  async open(): Promise<void> {
    const { registry, journal } = this.#sync;
    const present = await registry.openOf('automation', AUTOMATIONS_URI);
    if (present === undefined)
      this.#sync.transact('host', (tx) =>
        registry.create(
          tx,
          { uri: AUTOMATIONS_URI, kind: 'automation', state: { entries: [] }, hostData: { rows: {} } },
          this.#sync.emittedSeq,
        ),
      );
    this.channel.pin();
    for (const row of Object.values(this.channel.hostData.rows)) {
      const text = await journal.readMeta(keyOf(row));
      if (text === undefined) continue;
      // `setRecord` wrote the value.
      const record: AutomationRecord = JSON.parse(text);
      this.#records.set(record.resource, record);
    }
  }

  /** Whether the channel is loaded. */
  get isOpen(): boolean {
    return this.#sync.registry.getOf('automation', AUTOMATIONS_URI) !== undefined;
  }

  get channel(): Channel<'automation'> {
    const channel = this.#sync.registry.getOf('automation', AUTOMATIONS_URI);
    if (channel === undefined) throw new Error('the automations are not loaded yet');
    return channel;
  }

  get entries(): readonly AutomationEntry[] {
    return this.channel.state.entries;
  }

  entry(uri: string): AutomationEntry | undefined {
    return this.entries.find(({ resource }) => resource === uri);
  }

  /** Also of removed automations whose last runs are in progress. */
  record(uri: string): AutomationRecord | undefined {
    return this.#records.get(uri);
  }

  get records(): Iterable<AutomationRecord> {
    return this.#records.values();
  }

  setRecord(tx: Tx, record: AutomationRecord): void {
    const { resource } = record;
    this.#put(tx, resource, record);
    const { channel } = this;
    const { rows } = channel.hostData;
    let row = rows[resource];
    if (row === undefined) {
      const taken = new Set(Object.values(rows));
      row = 0;
      while (taken.has(row)) row += 1;
      tx.setHostData(channel, { ...channel.hostData, rows: { ...rows, [resource]: row } });
    }
    tx.write({ op: 'meta', key: keyOf(row), value: JSON.stringify(record) });
  }

  dropRecord(tx: Tx, uri: string): void {
    this.#put(tx, uri, undefined);
    const { channel } = this;
    const { [uri]: _, ...rows } = channel.hostData.rows;
    tx.setHostData(channel, { ...channel.hostData, rows });
  }

  /** Shows an automation as it is now to all clients. Its record must exist. */
  publish(tx: Tx, kept: Kept): void {
    const record = this.#records.get(kept.resource);
    if (record === undefined) return;
    const { resource, definition, createdAt, modifiedAt, runCount, customizations, _meta } = kept;
    const runs = record.runs.slice(0, this.#shown.get(resource) ?? PAGE);
    const nextRunAt = this.#nextAt(definition, record.handledUpTo);
    const cursor = record.runs.length > runs.length ? runs.at(-1)?.resource : undefined;
    tx.emit(this.channel, {
      type: 'automation/set',
      automation: {
        resource,
        definition,
        runs,
        operations: ['update', 'remove', 'run'],
        createdAt,
        modifiedAt,
        ...defined({
          nextRunAt: nextRunAt === undefined ? undefined : new Date(nextRunAt).toISOString(),
          runsNextCursor: cursor,
          runCount,
          customizations,
          _meta,
        }),
      },
    });
  }

  /** Shows the runs after the one that a cursor names. False: there is no such run. */
  showMore(tx: Tx, entry: AutomationEntry, cursor: string | undefined): boolean {
    const { runs } = this.#records.get(entry.resource) ?? { runs: [] };
    const from = cursor ?? entry.runsNextCursor;
    if (from === undefined) return true;
    const index = runs.findIndex(({ resource }) => resource === from);
    if (index < 0) return false;
    this.#shown.set(entry.resource, Math.max(this.#shown.get(entry.resource) ?? 0, index + 1 + PAGE));
    this.publish(tx, entry);
    return true;
  }

  /** The compiled schedule of a trigger. `undefined` for events, and for a time zone that this machine no longer knows. */
  scheduleOf(trigger: AutomationDefinition['triggers'][number]): Schedule | undefined {
    if (trigger.kind !== 'schedule') return undefined;
    let schedule = this.#schedules.get(trigger);
    if (schedule === undefined) {
      try {
        schedule = compileSchedule(trigger.schedule);
      } catch (error) {
        if (!(error instanceof InvalidSchedule)) throw error;
        this.#log.warn({ problem: error.message }, 'a stored schedule cannot be used');
        schedule = 'invalid';
      }
      this.#schedules.set(trigger, schedule);
    }
    return schedule === 'invalid' ? undefined : schedule;
  }

  #nextAt({ enabled, triggers, disableConditions = [] }: AutomationDefinition, after: number) {
    if (!enabled) return undefined;
    const times = triggers.flatMap((trigger) => this.scheduleOf(trigger)?.next(after) ?? []);
    const next = times.length === 0 ? undefined : Math.min(...times);
    const isOver = disableConditions.some(
      (condition) =>
        condition.kind === 'afterDate' && next !== undefined && next > Date.parse(condition.date),
    );
    return isOver ? undefined : next;
  }

  #put(tx: Tx, uri: string, record: AutomationRecord | undefined): void {
    const before = this.#records.get(uri);
    const set = (value: AutomationRecord | undefined): void => {
      if (value === undefined) this.#records.delete(uri);
      else this.#records.set(uri, value);
    };
    tx.undo(() => set(before));
    set(record);
  }
}

const keyOf = (row: number): string => `automation/${row}`;
