import type { Log } from '../lib/log.ts';
import { KeeperPtyOwner } from '../pty/keeper/keeper-client.ts';
import type { PtyOwner } from '../pty/pty.ts';
import { NodePtyOwner } from '../pty/running/node-pty.ts';
import type { HostOptions } from './options.ts';

/** The owner of ptys that the options name. Throws when they name a keeper without a data folder. */
export function ptyOwnerOf({ terminals = {}, dataDir }: HostOptions, version: string, log: Log): PtyOwner {
  const { owner, keeper = dataDir !== undefined } = terminals;
  if (owner !== undefined) return owner;
  if (!keeper) return new NodePtyOwner();
  if (dataDir === undefined) throw new Error('HostOptions: terminals.keeper needs dataDir');
  return new KeeperPtyOwner({ dataDir, build: version, log });
}
