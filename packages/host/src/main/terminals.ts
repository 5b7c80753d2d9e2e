import { NodePtyOwner } from '../pty/node-pty.ts';
import type { PtyOwner } from '../pty/pty.ts';
import { keepTerminalList } from '../terminals/catalogue.ts';
import { narrowEndedClaims } from '../terminals/claims.ts';
import type { TerminalParts } from '../terminals/parts.ts';
import { Terminals } from '../terminals/terminals.ts';
import type { HostOptions } from './options.ts';

/** UTF-16 code units of output that a terminal keeps, unless the options say otherwise [TERM-4]. */
const SCROLLBACK_LENGTH = 1024 * 1024;

/** The terminals of a host; `recover` goes on with those of the host before it. */
export function makeTerminals(
  options: HostOptions,
  parts: Omit<TerminalParts, 'owner' | 'settings'>,
): Terminals {
  const { sync, log } = parts;
  const { scrollbackLength = SCROLLBACK_LENGTH, shell, env = {} } = options.terminals ?? {};
  keepTerminalList(sync);
  narrowEndedClaims(sync, (error, uri) => log.error({ error, uri }, 'a claim could not be narrowed'));
  return new Terminals({
    ...parts,
    owner: ownerFor(options),
    settings: { scrollbackLength, env, ...(shell === undefined ? {} : { shell }) },
  });
}

function ownerFor({ terminals }: HostOptions): PtyOwner {
  return terminals?.owner ?? new NodePtyOwner();
}
