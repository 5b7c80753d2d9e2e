import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { hasCode } from '@agenthost/protocol/values';
import type { Context } from '../process/context.ts';
import { hostsFolder } from '../process/files.ts';
import { type HostRecord, type LocalRecord, readHosts } from './discovery.ts';

/** The host that runs on this machine with this data folder; `undefined` if none does. */
export async function hostOfFolder(context: Context, dataDir: string): Promise<HostRecord | undefined> {
  return recordOf(await readHosts(hostsFolder(context)), dataDir);
}

/** The record of these with this data folder; `undefined` if there is none. */
export async function recordOf<R extends LocalRecord>(
  records: readonly R[],
  dataDir: string,
): Promise<R | undefined> {
  const wanted = await realOf(dataDir);
  for (const record of records) if ((await realOf(record.dataDir)) === wanted) return record;
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
