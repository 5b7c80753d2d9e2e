import type { PtyOwner, PtySpec } from '../pty.ts';
import type { RunningPtyOptions } from '../running/running-pty.ts';
import type { ContractPty } from './contract-pty.ts';

/** What the parts of the contract test with. */
export interface PtyOwnerUnderTest {
  readonly owner: PtyOwner;
  /** Starts `sh -c script` or another command; ended after the test. */
  spawn(command: string | PtySpec['command'], spec?: Partial<PtySpec>): Promise<ContractPty>;
}

/** Limits that every owner under test has: small, so that tests meet them. */
export const CONTRACT_LIMITS = { highWater: 256 * 1024 } satisfies RunningPtyOptions;

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
