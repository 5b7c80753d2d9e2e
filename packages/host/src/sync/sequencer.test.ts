import { FaultJournal } from '@agenthost/testkit';
import { expect, it } from 'vitest';
import { isUnjournaled, Sequencer } from './sequencer.ts';

it('[CONN-4] numbers rise from above the last reservation, and are covered by a durable one before they are sent', async () => {
  const journal = new FaultJournal();
  const { reservedSeq } = await journal.open();
  const sequencer = new Sequencer(journal, reservedSeq);
  expect(sequencer.next()).toBe(reservedSeq + 1);
  expect(sequencer.covers(sequencer.last)).toBe(false);
  await sequencer.reserve();
  expect(sequencer.covers(sequencer.last)).toBe(true);
  expect(sequencer.isLow).toBe(false);
  for (let count = 2; count <= 1_000; count += 1) expect(sequencer.next()).toBe(reservedSeq + count);
  let hasRisen = true;
  for (let { last } = sequencer; !sequencer.isLow; { last } = sequencer) hasRisen &&= sequencer.next() > last;
  expect(hasRisen).toBe(true);
  // Gives the sequencer time to reserve more before the block is used up.
  expect(sequencer.covers(sequencer.last + 1_000)).toBe(true);
});

it('[CONN-4] the next start begins above everything that this one reserved', async () => {
  const journal = new FaultJournal();
  const sequencer = new Sequencer(journal, (await journal.open()).reservedSeq);
  sequencer.next();
  await sequencer.reserve();
  journal.crash();
  const again = new FaultJournal(journal.disk);
  const { reservedSeq } = await again.open();
  while (sequencer.covers(sequencer.following)) sequencer.next();
  expect(new Sequencer(again, reservedSeq).next()).toBeGreaterThan(sequencer.last);
});

it('[CONN-4] a reservation that fails covers nothing', async () => {
  const journal = new FaultJournal();
  const sequencer = new Sequencer(journal, (await journal.open()).reservedSeq);
  sequencer.next();
  journal.gates.beforeReserve = () => {
    throw new Error('full');
  };
  await expect(sequencer.reserve()).rejects.toThrow('full');
  expect(sequencer.covers(sequencer.last)).toBe(false);
});

it('[CONN-5] numbers tell whether the journal was writable when they were assigned, and rise in both cases', async () => {
  const journal = new FaultJournal();
  const sequencer = new Sequencer(journal, (await journal.open()).reservedSeq);
  await sequencer.reserve();
  let last = 0;
  for (const isFailing of [false, true, false, true]) {
    sequencer.journalFails(isFailing);
    expect(sequencer.covers(sequencer.following)).toBe(true);
    for (let count = 0; count < 10; count += 1) {
      expect(sequencer.following).toBe(sequencer.next());
      expect(sequencer.last).toBeGreaterThan(last);
      expect(isUnjournaled(sequencer.last)).toBe(isFailing);
      ({ last } = sequencer);
    }
    await sequencer.reserve();
  }
});

it('[CONN-4] a reserved block lasts for ten thousand messages while the journal cannot be written', async () => {
  const journal = new FaultJournal();
  const sequencer = new Sequencer(journal, (await journal.open()).reservedSeq);
  await sequencer.reserve();
  while (!sequencer.isLow) sequencer.next();
  sequencer.journalFails(true);
  for (let count = 0; count < 10_000; count += 1) sequencer.next();
  expect(sequencer.covers(sequencer.last)).toBe(true);
});
