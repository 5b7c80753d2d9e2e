import { join } from 'node:path';
import { defined } from '@agenthost/protocol/values';
import type { Log } from '../lib/log.ts';
import { KeeperPtyOwner } from '../pty/keeper/keeper-client.ts';
import type { PtyOwner } from '../pty/pty.ts';
import { NodePtyOwner } from '../pty/running/node-pty.ts';
import type { HostOptions } from './options.ts';

/** What the terminals of a host take from its options. */
export function terminalSettings(
  { terminals = {}, dataDir }: HostOptions,
  version: string,
  scrollbackKilobytes: () => number,
) {
  const { scrollbackLength, shell, env = {}, shellIntegration = true } = terminals;
  return {
    settings: {
      scrollbackLength: () => scrollbackLength ?? scrollbackKilobytes() * 1024,
      env,
      version,
      hasShellIntegration: shellIntegration,
      ...defined({ shell, shellFolder: dataDir === undefined ? undefined : join(dataDir, 'shells') }),
    },
  };
}

/** The owner of ptys for these options. Throws if `terminals.keeper` is true without a data folder. */
export function ptyOwnerOf({ terminals = {}, dataDir }: HostOptions, version: string, log: Log): PtyOwner {
  const { owner, keeper = dataDir !== undefined } = terminals;
  if (owner !== undefined) return owner;
  if (!keeper) return new NodePtyOwner();
  if (dataDir === undefined) throw new Error('HostOptions: terminals.keeper requires dataDir');
  return new KeeperPtyOwner({ dataDir, build: version, log });
}
