import { JournalError, type JournalWrite } from '@agenthost/host';
import { expect, test } from 'vitest';
import { FaultJournal } from './fault-journal.ts';

function meta(value: string): JournalWrite[] {
  return [{ op: 'meta', key: 'k', value }];
}

/** A gate that stays closed until `resolve` is called. */
function holdUp() {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve: () => resolve() };
}

/** The state of a promise after the pending promise callbacks. */
async function outcomeOf(promise: Promise<unknown>): Promise<string> {
  let outcome = 'pending';
  promise.then(
    () => (outcome = 'resolved'),
    () => (outcome = 'rejected'),
  );
  for (let turns = 0; turns < 50; turns++) await Promise.resolve();
  return outcome;
}

test('a commit that is made to fail changes nothing, and the next commit is applied', async () => {
  const journal = new FaultJournal();
  await journal.open();
  journal.failNextCommits();
  await expect(journal.commit(meta('1'))).rejects.toMatchObject({ name: 'JournalError', code: 'full' });
  expect(await journal.readMeta('k')).toBeUndefined();
  await journal.commit(meta('2'));
  expect(await journal.readMeta('k')).toBe('2');
  expect(journal.commitCount).toBe(1);
});

test('a commit can be delayed before and after it is durable, and reads do not see it meanwhile', async () => {
  const journal = new FaultJournal();
  await journal.open();
  const [before, after] = [holdUp(), holdUp()];
  Object.assign(journal.gates, { beforeCommit: () => before.promise, afterCommit: () => after.promise });
  const commit = journal.commit(meta('1'));
  expect(await outcomeOf(commit)).toBe('pending');
  before.resolve();
  expect(await outcomeOf(commit)).toBe('pending');
  expect(await journal.readMeta('k')).toBeUndefined();
  after.resolve();
  await commit;
  expect(await journal.readMeta('k')).toBe('1');
});

test('[CONN-4] a crash keeps durable commits and reservations, and pending calls never settle', async () => {
  const journal = new FaultJournal();
  await journal.open();
  await journal.reserveSeq(100);
  await journal.commit(meta('1'));
  const gate = holdUp();
  journal.gates.afterCommit = () => gate.promise;
  const durable = journal.commit(meta('2'));
  await outcomeOf(durable);
  journal.gates.beforeCommit = () => gate.promise;
  const asked = journal.commit(meta('3'));
  const read = journal.readMeta('k');
  journal.crash();
  gate.resolve();
  expect([await outcomeOf(durable), await outcomeOf(asked), await outcomeOf(read)]).toEqual([
    'pending',
    'pending',
    'pending',
  ]);

  const next = new FaultJournal(journal.disk);
  expect(await next.open()).toMatchObject({ reservedSeq: 100 });
  expect(await next.readMeta('k')).toBe('2');
});

test('a gate that throws fails the call with its own error', async () => {
  const journal = new FaultJournal();
  await journal.open();
  journal.gates.beforeReserve = () => {
    throw new JournalError('io', 'no');
  };
  await expect(journal.reserveSeq(5)).rejects.toThrow('no');
  await journal.close();
});

test('a delayed read returns the state that was committed when it was called', async () => {
  const journal = new FaultJournal();
  await journal.open();
  const gate = holdUp();
  journal.gates.afterRead = () => gate.promise;
  const read = journal.readMeta('k');
  await journal.commit(meta('1'));
  gate.resolve();
  expect(await read).toBeUndefined();
});
