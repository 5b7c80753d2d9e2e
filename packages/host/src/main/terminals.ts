import { join } from 'node:path';
import { defined } from '@agenthost/protocol/values';
import type { Log } from '../lib/log.ts';
import { KeeperPtyOwner } from '../pty/keeper/keeper-client.ts';
import type { PtyOwner } from '../pty/pty.ts';
import { NodePtyOwner } from '../pty/running/node-pty.ts';
import { keepTerminalList } from '../terminals/catalogue.ts';
import { narrowEndedClaims } from '../terminals/claims.ts';
import type { TerminalParts } from '../terminals/parts.ts';
import { Terminals } from '../terminals/terminals.ts';
import { type HostOptions, UNLOAD_AFTER_MS } from './options.ts';

/** UTF-16 code units of output that a terminal keeps, unless the options say otherwise [TERM-4]. */
const SCROLLBACK_LENGTH = 1024 * 1024;

/** The terminals of a host; `recover` goes on with those of the host before it. */
export function makeTerminals(
  options: HostOptions,
  version: string,
  parts: Omit<TerminalParts, 'owner' | 'settings' | 'unloadAfterMs'>,
): Terminals {
  const { sync, log } = parts;
  const { terminals = {}, dataDir } = options;
  const { scrollbackLength = SCROLLBACK_LENGTH, shell, env = {}, shellIntegration = true } = terminals;
  keepTerminalList(sync);
  narrowEndedClaims(sync, (error, uri) => log.error({ error, uri }, 'a claim could not be narrowed'));
  return new Terminals({
    ...parts,
    owner: ownerFor(options, version, log),
    unloadAfterMs: options.unloadAfterMs ?? UNLOAD_AFTER_MS,
    settings: {
      scrollbackLength,
      env,
      version,
      hasShellIntegration: shellIntegration,
      ...defined({ shell, shellFolder: dataDir === undefined ? undefined : join(dataDir, 'shells') }),
    },
  });
}

function ownerFor({ terminals = {}, dataDir }: HostOptions, version: string, log: Log): PtyOwner {
  const { owner, keeper = dataDir !== undefined } = terminals;
  if (owner !== undefined) return owner;
  if (!keeper) return new NodePtyOwner();
  if (dataDir === undefined) throw new Error('HostOptions: terminals.keeper needs dataDir');
  return new KeeperPtyOwner({ dataDir, build: version, log });
}
