import { readdir, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { HostDiskUseResult } from '@agenthost/protocol';
import { errorCode } from '@agenthost/protocol/values';
import type { Sync } from '../../sync/sync.ts';
import type { Feature } from '../feature.ts';

/** The log of a host, and its older files. */
const LOG_FILE = /^agenthost\.log(\.\d+)?$/;

/** Disk space of the whole host. `dataDir`: the data folder; `undefined`: the host has none. */
export const diskUseFeature = (sync: Sync, dataDir: string | undefined): Feature => ({
  name: 'disk-use',
  commands: {
    'x-hostDiskUse': async () => {
      await sync.path.drain();
      const database = await sync.journal.wholeDiskUse();
      return { ...database, ...(dataDir === undefined ? {} : await folderUse(dataDir)) };
    },
  },
});

async function folderUse(
  dataDir: string,
): Promise<Pick<HostDiskUseResult, 'logBytes' | 'diskFreeBytes' | 'diskBytes'>> {
  try {
    const names = (await readdir(dataDir)).filter((name) => LOG_FILE.test(name));
    const sizes = await Promise.all(names.map((name) => sizeOf(join(dataDir, name))));
    const { bsize, bavail, blocks } = await statfs(dataDir);
    const logBytes = sizes.reduce((sum, bytes) => sum + bytes, 0);
    return {
      ...(names.length === 0 ? {} : { logBytes }),
      diskFreeBytes: bavail * bsize,
      diskBytes: blocks * bsize,
    };
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return {};
  }
}

/** 0 for a file that was rotated away meanwhile. */
const sizeOf = async (file: string): Promise<number> => (await stat(file).catch(() => undefined))?.size ?? 0;
