import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '@agenthost/protocol/values';
import { commandLine } from '../process/own-command.ts';
import { type Finding, warning } from './finding.ts';

/** Paths of the damaged databases that hosts have set aside in a data folder. Empty for a folder that cannot be read. */
export function damagedDatabases(dataDir: string): string[] {
  try {
    return readdirSync(dataDir)
      .filter((name) => /^journal\.db\.damaged-[\dTZ]+(-\d+)?$/.test(name))
      .map((name) => join(dataDir, name));
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return [];
  }
}

/** Advice about a damaged database. */
export const damagedAdvice = (): string =>
  `restore a backup with \`${commandLine('backup restore')}\` if sessions are missing; delete the damaged file when you need nothing in it`;

/** Warns about damaged databases in a data folder. */
export function checkDamaged(dataDir: string): Finding[] {
  const files = damagedDatabases(dataDir);
  if (files.length === 0) return [];
  return [
    warning(
      'database',
      `a host found its database damaged, and began a new one: ${files.join(', ')}`,
      damagedAdvice(),
    ),
  ];
}
