import { FaultJournal, SimulatedClock, type SimulatedPtyOwner } from '@agenthost/testkit';
import { expect, it } from 'vitest';
import { startHost } from '../../test/host-fixture.ts';
import { PuppetAgent } from '../../test/puppet-agent.ts';
import { openTerminal } from '../../test/terminal-fixture.ts';
import { JournalError } from '../journal/journal.ts';
import { silentLog } from '../lib/log.ts';
import { createHost } from './create-host.ts';

/** One start on the data of a killed host, with a clock, a journal and ptys of its own. */
async function startOn(disk: FaultJournal['disk'], ptys: SimulatedPtyOwner, failsAt: number) {
  let operation = 0;
  const failing = (): void => {
    operation += 1;
    if (operation === failsAt) throw new JournalError('io', 'a test broke the disk');
  };
  const journal = new FaultJournal(disk, {
    beforeCommit: failing,
    beforeReserve: failing,
    afterRead: failing,
  });
  const clock = new SimulatedClock();
  const agent = new PuppetAgent();
  const host = createHost({
    journal,
    agents: [() => agent],
    log: silentLog,
    clock,
    timers: clock,
    terminals: { owner: ptys },
  });
  let failure: unknown;
  await clock.runUntilSettled(host.start()).catch((error: unknown) => {
    failure = error;
  });
  return { host, clock, journal, failure, operation };
}

it('a host that fails at any read or write of its start leaves no timer, reads no terminal, and unlocks its journal', async () => {
  const before = await startHost({ outlivesHost: true });
  const desk = await before.client('desk');
  await before.session(desk);
  await openTerminal(before, desk);
  before.ptys.last.output('x');
  await before.run();
  before.kill();
  const { disk } = before.journal;
  let failures = 0;
  for (let failsAt = 1; ; failsAt += 1) {
    const ptys = before.ptys.restart();
    const { host, clock, failure, operation } = await startOn(disk, ptys, failsAt);
    if (failure === undefined) {
      await clock.runUntilSettled(host.stop());
      await clock.settle();
    }
    expect(clock.timerCount, `timers behind a failure at operation ${failsAt}: ${String(failure)}`).toBe(0);
    expect(disk.isLocked).toBe(false);
    expect(before.ptys.last.isRead).toBe(false);
    if (failure !== undefined) failures += 1;
    if (operation < failsAt) break;
  }
  // Failures of each kind: before, during and after the recovery of open turns.
  expect(failures).toBeGreaterThan(8);
});
