import { FaultJournal } from '@agenthost/testkit';
import { expect, it } from 'vitest';
import { Sequencer } from './sequencer.ts';

it('[CONN-4] numbers rise from above the last reservation, and are covered by a durable one before they leave', async () => {
  const journal = new FaultJournal();
  const { reservedSeq } = await journal.open();
  const sequencer = new Sequencer(journal, reservedSeq);
  expect(sequencer.next()).toBe(reservedSeq + 1);
  expect(sequencer.covers(sequencer.last)).toBe(false);
  await sequencer.reserve();
  expect(sequencer.covers(sequencer.last)).toBe(true);
  expect(sequencer.isLow).toBe(false);
  let count = 1;
  while (!sequencer.isLow) {
    count += 1;
    expect(sequencer.next()).toBe(reservedSeq + count);
  }
  expect(count).toBeGreaterThan(1_000);
  // Time for more, while there still are some.
  expect(sequencer.covers(sequencer.last + 1_000)).toBe(true);
});

it('[CONN-4] the next life begins above everything that this one reserved', async () => {
  const journal = new FaultJournal();
  const sequencer = new Sequencer(journal, (await journal.open()).reservedSeq);
  sequencer.next();
  await sequencer.reserve();
  journal.crash();
  const again = new FaultJournal(journal.disk);
  const { reservedSeq } = await again.open();
  for (let count = 0; sequencer.covers(sequencer.last + 1); count += 1) sequencer.next();
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
