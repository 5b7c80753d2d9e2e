import { FaultJournal, SimulatedClock } from '@agenthost/testkit';
import type { JournalWrite } from '../src/journal/journal.ts';
import { memoryLog } from '../src/lib/log.ts';
import { CommitPath } from '../src/sync/commit-path.ts';
import { Sequencer } from '../src/sync/sequencer.ts';
import type { ActionSink, Tx } from '../src/sync/tx.ts';

export const row = (key: string): JournalWrite => ({ op: 'meta', key, value: key });

/** The tests of the commit path emit no actions. */
const noActions: ActionSink = {
  emit: () => undefined,
  emitUnloaded: () => undefined,
  toRoot: () => undefined,
};

/** A commit path without channels, on a journal that fails when the test says so. */
export async function setUpCommitPath() {
  const journal = new FaultJournal();
  const clock = new SimulatedClock();
  const start = await journal.open();
  const sequencer = new Sequencer(journal, start.reservedSeq);
  const log = memoryLog();
  const path = new CommitPath({
    journal,
    sequencer,
    clock,
    timers: clock,
    log,
    running: { tx: undefined, number: 0 },
    actions: noActions,
  });
  /** Events in order. */
  const seen: string[] = [];
  /** State that a transaction appends to, as that of a channel. */
  const state: string[] = [];
  const note =
    (what: string): (() => void) =>
    () =>
      void seen.push(what);
  const append = (tx: Tx, item: string): void => {
    const before = [...state];
    state.push(item);
    tx.undo(() => void state.splice(0, state.length, ...before));
    tx.write(row(item));
    tx.publish(note(`sent ${item}`), note(`dropped ${item}`));
    tx.effect(note(`effect ${item}`));
  };
  const keys = (): string[] => [...journal.disk.meta.keys()].filter((key) => key !== 'probe');
  return { journal, clock, sequencer, log, path, seen, state, note, append, keys };
}
