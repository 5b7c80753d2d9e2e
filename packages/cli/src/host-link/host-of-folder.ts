import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { hasCode } from '@agenthost/protocol/values';
import type { Context } from '../process/context.ts';
import { hostsFolder } from '../process/files.ts';
import { type HostRecord, readHosts } from './discovery.ts';

/** The host that runs on this machine with this data folder; `undefined` if none does. */
export async function hostOfFolder(context: Context, dataDir: string): Promise<HostRecord | undefined> {
  const wanted = await realOf(dataDir);
  for (const host of await readHosts(hostsFolder(context)))
    if ((await realOf(host.dataDir)) === wanted) return host;
  return undefined;
}

async function realOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR')) return resolve(path);
    throw error;
  }
}
