import type { StandbyRecord } from '../host-link/discovery.ts';
import { oneLine } from '../render/plain-text.ts';
import { type Finding, ok } from './finding.ts';

/** A standby of this user that waits with the checked folder. */
export const checkStandby = ({ cell, pid, version, reason }: StandbyRecord): Finding =>
  ok(
    'host',
    `a standby (pid ${pid}, agenthost ${oneLine(version)}) waits for cell ${oneLine(cell)}: ${oneLine(reason, 500)}`,
  );

/** Where the sessions of a waiting standby are. */
export function databaseOfStandby({ cell, args = [] }: StandbyRecord): Finding {
  const url = URL.parse(args[args.indexOf('--journal') + 1] ?? '');
  const server = url === null ? 'PostgreSQL' : `PostgreSQL at ${oneLine(`${url.host}${url.pathname}`)}`;
  return ok('database', `not checked: the sessions are in ${server}, in cell ${oneLine(cell)}`);
}
