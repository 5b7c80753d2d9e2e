import { BackupError } from '../../backup-error.ts';
import { CORE_FILES } from './contents.ts';

/** The layout of backups. Raised when an older agenthost could not restore them. */
const FORMAT = 1;

/** The description in a backup. */
export interface Manifest {
  /** ISO 8601. */
  readonly createdAt: string;
  /** Version of the agenthost that wrote it. */
  readonly agenthost: string;
  /** Version of the database's schema. */
  readonly schema: number;
  /** Sizes in bytes of the files at the top. */
  readonly files: Readonly<Record<string, number>>;
}

/** The text of a description. */
export const manifestText = (manifest: Manifest): string =>
  `${JSON.stringify({ format: FORMAT, ...manifest }, undefined, 2)}\n`;

/** Reads a description. `file`: the backup, for messages. Throws `BackupError`. */
export function readManifest(text: string, file: string): Manifest {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new BackupError('invalid', `${file}: the description in it is not readable`, { cause });
  }
  const read: Record<string, unknown> = { ...(typeof value === 'object' ? value : {}) };
  const { format, createdAt, agenthost, schema, files } = read;
  if (typeof format === 'number' && format > FORMAT)
    throw new BackupError('newer', `${file} was written by a newer agenthost: install that version`);
  const isTime = typeof createdAt === 'string' && !Number.isNaN(Date.parse(createdAt));
  if (format !== FORMAT || !isTime || typeof agenthost !== 'string' || typeof schema !== 'number')
    throw new BackupError('invalid', `${file}: the description in it is not valid`);
  const sizes = Object.entries({ ...(typeof files === 'object' ? files : {}) }).filter(
    (entry): entry is [string, number] => typeof entry[1] === 'number',
  );
  const all = new Map(sizes);
  const missing = CORE_FILES.find((name) => !all.has(name));
  if (missing !== undefined) throw new BackupError('invalid', `${file} has no ${missing}`);
  return { createdAt, agenthost, schema, files: Object.fromEntries(all) };
}
