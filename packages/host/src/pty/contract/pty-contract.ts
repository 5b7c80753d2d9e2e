import { afterEach, beforeEach, describe } from 'vitest';
import type { PtyOwner } from '../pty.ts';
import type { RunningPtyOptions } from '../running/running-pty.ts';
import { ContractPty } from './contract-pty.ts';
import { CONTRACT_LIMITS, contractSpec, type PtyOwnerUnderTest } from './contract-spec.ts';
import { inputContract } from './input-contract.ts';
import { outputContract } from './output-contract.ts';
import { processContract } from './process-contract.ts';
import { startContract } from './start-contract.ts';

/**
 * The rules of the `PtyOwner` port. Every implementation passes all of them. `makeOwner` makes a new one with the limits given; it
 * is closed after each test, when all of its ptys have ended and were released.
 */
export function describePtyOwner(
  name: string,
  makeOwner: (limits: RunningPtyOptions) => Promise<PtyOwner>,
): void {
  describe(`${name} as an owner of ptys`, () => {
    let owner: PtyOwner;
    let ptys: ContractPty[] = [];

    beforeEach(async () => {
      owner = await makeOwner(CONTRACT_LIMITS);
      await owner.adopt();
    });

    afterEach(async () => {
      await Promise.all(ptys.map((pty) => pty.dispose()));
      ptys = [];
      await owner.close();
    });

    const here: PtyOwnerUnderTest = {
      get owner() {
        return owner;
      },
      async spawn(command, spec = {}) {
        const pty = new ContractPty(await owner.spawn(contractSpec(command, spec)));
        ptys.push(pty);
        return pty;
      },
    };

    startContract(here);
    inputContract(here);
    outputContract(here);
    processContract(here);
  });
}
