import { expect, it } from 'vitest';
import { sessionMembers } from '../contract/contract-session.ts';
import { contractSpec } from '../contract/contract-spec.ts';
import { describePtyOwner } from '../contract/pty-contract.ts';
import { NodePtyOwner } from './node-pty.ts';

describePtyOwner('NodePtyOwner', async (limits) => new NodePtyOwner(limits));

it('an owner in this process has no earlier ptys, and ends its ptys when it closes', async () => {
  const owner = new NodePtyOwner();
  expect(await owner.adopt()).toEqual({ ptys: [], late: [] });
  const pty = await owner.spawn(
    contractSpec("trap '' TERM HUP; sleep 600 & echo ready; while :; do sleep 600; done"),
  );
  const heard: string[] = [];
  await new Promise<void>((resolve) => {
    pty.read(0, { data: () => resolve(), exit: () => heard.push('exit') });
  });
  await owner.close();
  if (process.platform === 'linux') expect(sessionMembers(pty.pid)).toEqual([]);
  expect(() => process.kill(pty.pid, 0)).toThrow('ESRCH');
  // A reader that was released receives nothing more.
  expect(heard).toEqual([]);
});
