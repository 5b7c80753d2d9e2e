import {
  BackupError,
  backUpFolder,
  type RestoredBackup,
  restoreBackup,
  type WrittenBackup,
} from '@agenthost/host';
import { CliError, EXIT } from '../process/exit.ts';

/** Backs up a data folder that no host uses. Rejects with a `CliError`, or with the signal's reason. */
export const backUpAlone = (request: {
  readonly dataDir: string;
  readonly file: string;
  readonly force: boolean;
  readonly version: string;
  readonly signal: AbortSignal;
}): Promise<WrittenBackup> => explained(backUpFolder({ ...request, now: Date.now() }));

/** Restores a backup into a data folder that no host uses. Rejects with a `CliError`. */
export const restoreInto = (dataDir: string, file: string): Promise<RestoredBackup> =>
  explained(restoreBackup({ file, dataDir, now: Date.now() }));

async function explained<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    if (!(cause instanceof BackupError)) throw cause;
    throw new CliError(cause.code === 'target' ? EXIT.usage : EXIT.error, cause.message, { cause });
  }
}
