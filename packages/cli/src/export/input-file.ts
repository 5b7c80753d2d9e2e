import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Context } from '../process/context.ts';
import { CliError, EXIT, usageError } from '../process/exit.ts';
import { commandLine } from '../process/own-command.ts';

/** Lets `use` read what is piped in as often as it wants: from a file for this user alone, which goes afterwards. */
export async function withInputAsFile<T>({ stdin }: Context, use: (path: string) => Promise<T>): Promise<T> {
  if (stdin.isTTY === true)
    throw usageError(`nothing is piped in: ${commandLine('import - < session.json')}`);
  const folder = await mkdtemp(join(tmpdir(), 'agenthost-import-'));
  try {
    const path = join(folder, 'input.json');
    await pipeline(stdin, createWriteStream(path, { mode: 0o600 })).catch((cause: unknown) => {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new CliError(EXIT.error, `standard input cannot be read: ${why}`, { cause });
    });
    return await use(path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
