import { afterEach, beforeEach, describe } from 'vitest';
import type { PtyOwner, PtySpec } from './pty.ts';
import { inputContract } from './pty-contract-input.ts';
import { outputContract } from './pty-contract-output.ts';
import { processContract } from './pty-contract-processes.ts';
import { ContractPty } from './pty-contract-pty.ts';
import { startContract } from './pty-contract-start.ts';
import type { RunningPtyOptions } from './running-pty.ts';

/** What the parts of the contract test with. */
export interface PtyOwnerUnderTest {
  readonly owner: PtyOwner;
  /** Starts `sh -c script` or another command; ended after the test. */
  spawn(command: string | PtySpec['command'], spec?: Partial<PtySpec>): Promise<ContractPty>;
}

/** Limits that every owner under test has: small, so that tests meet them. */
export const contractLimits = { highWater: 256 * 1024 } satisfies RunningPtyOptions;

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
      owner = await makeOwner(contractLimits);
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

let lastId = 0;

/** A spec for `sh -c command`, or for another command, with as little environment as programs get along with. */
export function contractSpec(command: string | PtySpec['command'], spec: Partial<PtySpec> = {}): PtySpec {
  lastId += 1;
  return {
    id: `pty-${lastId}`,
    command: typeof command === 'string' ? ['sh', '-c', command] : command,
    cwd: '/',
    env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin', TERM: 'xterm-256color', LANG: 'C.UTF-8' },
    cols: 80,
    rows: 24,
    ...spec,
  };
}
