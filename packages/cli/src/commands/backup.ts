import { resolve } from 'node:path';
import { type BackupResult, ROOT_URI } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { withHost } from '../host-link/connect.ts';
import { readHosts } from '../host-link/discovery.ts';
import type { HostOptions } from '../host-link/find-host.ts';
import { hostOfFolder } from '../host-link/host-of-folder.ts';
import type { Context } from '../process/context.ts';
import { EXIT, type ExitCode, usageError } from '../process/exit.ts';
import { hostsFolder } from '../process/files.ts';
import { Interruption } from '../process/interruption.ts';
import { commandLine, shellWord } from '../process/own-command.ts';
import { oneLine } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';
import { bytes } from '../render/session-line.ts';
import { dataDirOf } from '../serve/places.ts';

/** Options of `backup` as parsed. */
export interface BackupOptions extends HostOptions {
  readonly data?: string;
  readonly force?: boolean;
  readonly json?: boolean;
}

/** Options of `backup restore` as parsed. */
export interface RestoreOptions {
  readonly data?: string;
  readonly json?: boolean;
}

/** `backup`: the running host writes a backup; without one, this process does, under the lock of a host. */
export async function backup(
  context: Context,
  screen: Screen,
  given: string,
  options: BackupOptions,
): Promise<ExitCode> {
  if (given.trim() === '') throw usageError('expected a file for the backup, got nothing');
  const { data, force = false } = options;
  const isNamed = options.url !== undefined || options.host !== undefined;
  if (data !== undefined && isNamed)
    throw usageError(
      '--data names a folder of this machine, and --host or --url (or AGENTHOST_URL) a host: use one of them',
    );
  const file = resolve(context.cwd, given);
  const dataDir = dataDirOf(context, data);
  const host = data === undefined ? undefined : await hostOfFolder(context, dataDir);
  const isHosted =
    host !== undefined ||
    isNamed ||
    (data === undefined && (await readHosts(hostsFolder(context))).length > 0);
  const done = (written: BackupResult): ExitCode => {
    tell(screen, written, options.json === true);
    return EXIT.done;
  };
  if (isHosted) {
    const target = { ...options, ...defined({ url: host?.url ?? options.url }) };
    return withHost(context, screen, target, async ({ client }) => {
      screen.status('writing the backup');
      return done(await client.request('x-backup', { channel: ROOT_URI, file, force }));
    });
  }
  const interruption = new Interruption(context);
  screen.status('writing the backup');
  try {
    const { backUpAlone } = await import('../serve/backups.ts');
    const { signal } = interruption;
    return done(await backUpAlone({ dataDir, file, force, version: context.version, signal }));
  } catch (error) {
    if (interruption.reason !== undefined) return interruption.reason.exitCode;
    throw error;
  } finally {
    interruption.dispose();
  }
}

function tell(screen: Screen, written: BackupResult, isJson: boolean): void {
  screen.status(undefined);
  if (isJson) return screen.json(written);
  const { file, databaseBytes } = written;
  screen.line(`${oneLine(file, 1_000)}  ${bytes(written.bytes)}  (the database: ${bytes(databaseBytes)})`);
  screen.note("The file has the owner's token and other secrets: keep it private.");
}

/** `backup restore`: puts a backup into a data folder that no host uses, and sets the present data aside. */
export async function restore(
  context: Context,
  screen: Screen,
  given: string,
  { data, json = false }: RestoreOptions,
): Promise<ExitCode> {
  if (given.trim() === '') throw usageError('expected the file of a backup, got nothing');
  const dataDir = dataDirOf(context, data);
  screen.status('checking the backup');
  const { restoreInto } = await import('../serve/backups.ts');
  const restored = await restoreInto(dataDir, resolve(context.cwd, given));
  screen.status(undefined);
  if (json) {
    screen.json({ dataDir, ...restored });
    return EXIT.done;
  }
  const { createdAt, agenthost, setAside } = restored;
  screen.line(
    `restored the data of ${createdAt} (agenthost ${oneLine(agenthost)}) into ${oneLine(dataDir, 1_000)}`,
  );
  if (setAside !== undefined) screen.note(`The data that was there is in ${oneLine(setAside, 1_000)}.`);
  const start = data === undefined ? commandLine('start') : commandLine(`start --data ${shellWord(dataDir)}`);
  screen.note(`Start the host with \`${start}\`.`);
  return EXIT.done;
}
