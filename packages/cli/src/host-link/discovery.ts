import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmod, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { hasCode } from '@agenthost/protocol/values';
import { CliError, EXIT } from '../process/exit.ts';
import { makeFolder } from '../process/make-folder.ts';
import { removeStopMark } from './stop-mark.ts';

/** The common part of the records of hosts and of standbys. */
interface ProcessRecord {
  readonly pid: number;
  /** Tells the process from a later one with its pid. */
  readonly processStart: string;
  /** Host name of the machine. A home folder may be shared over a network, and pids are per machine. */
  readonly machine: string;
  readonly dataDir: string;
  readonly version: string;
  /** When the host listened, or when the standby began to wait. ISO 8601. */
  readonly startedAt: string;
  /** The options of `serve` as arguments, with absolute paths and without tokens. Absent in records of older versions. */
  readonly args?: readonly string[];
  /** The folder that `serve` was called in. Absent in records of older versions. */
  readonly cwd?: string;
  /** Its token came from AGENTHOST_TOKEN. Absent: from a file. */
  readonly tokenFrom?: 'environment';
  /** The variable that had the password of its database, such as AGENTHOST_JOURNAL_PASSWORD. Absent: none had. */
  readonly passwordFrom?: string;
  /** The service that runs it, such as `agenthost.service`. Absent: none does. */
  readonly service?: string;
}

/** Record of a running host in `hosts/<pid>.json`. Only its user can read it. */
export interface HostRecord extends ProcessRecord {
  /** `http://…` */
  readonly url: string;
  /** `ws://…/ahp` */
  readonly wsUrl: string;
  /** The owner's token. */
  readonly token: string;
  /** SHA-256 of its certificate and of that one's key; absent without TLS. */
  readonly fingerprint?: string;
  readonly keyFingerprint?: string;
  /** Problems that it reported during its start, one line each. Absent: none. */
  readonly notices?: readonly string[];
  /** The cell that it holds. Absent: its sessions are not in PostgreSQL, or the record is of an older version. */
  readonly cell?: string;
}

/** The name of a host as the holder of its cell, which the host writes into the database. */
export const holderName = ({ machine, pid }: HostRecord): string => `${machine} (process ${pid})`;

/** Record of a standby that waits for its cell. The record of its host replaces it. Older versions ignore it. */
export interface StandbyRecord extends ProcessRecord {
  readonly cell: string;
  /** Why it waits. */
  readonly reason: string;
  /** Machine and process of the host that holds the cell. Absent: not known. */
  readonly holder?: string;
  /** The token of AGENTHOST_TOKEN. Absent: `tokenFrom` is absent. */
  readonly token?: string;
}

/** Record of a host that runs, or waits for its cell. */
export type LocalRecord = HostRecord | StandbyRecord;

/** Whether a record is that of a host that listens. */
export const isListening = (record: LocalRecord): record is HostRecord => 'url' in record;

const TEXT_FIELDS = [
  'processStart',
  'machine',
  'dataDir',
  'version',
  'startedAt',
] as const satisfies readonly (keyof ProcessRecord)[];
const HOST_FIELDS = ['url', 'wsUrl', 'token'] as const satisfies readonly (keyof HostRecord)[];
const STANDBY_FIELDS = ['cell', 'reason'] as const satisfies readonly (keyof StandbyRecord)[];
const OPTIONAL_FIELDS = [
  'fingerprint',
  'keyFingerprint',
  'cwd',
  'tokenFrom',
  'passwordFrom',
  'service',
  'cell',
  'holder',
  'token',
] as const satisfies readonly (keyof HostRecord | keyof StandbyRecord)[];

/** The members that `announceHost` adds to a record. */
type OfProcess = 'pid' | 'processStart' | 'machine';

/** Writes the record of this process, in place of an earlier one. Resolves with a function that removes it. */
export async function announceHost(
  folder: string,
  host: Omit<HostRecord, OfProcess> | Omit<StandbyRecord, OfProcess>,
): Promise<() => Promise<void>> {
  const { pid } = process;
  const record: LocalRecord = {
    pid,
    processStart: (await processStart(pid)) ?? '',
    machine: hostname(),
    ...host,
  };
  await makeFolder(folder, 0o700);
  await chmod(folder, 0o700);
  const file = join(folder, `${pid}.json`);
  const draft = `${file}.${randomUUID()}.tmp`;
  try {
    // Renamed into place, so that no reader sees half of the file.
    await writeFile(draft, `${JSON.stringify(record)}\n`, { mode: 0o600, flag: 'wx' });
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  return () => rm(file, { force: true });
}

/** The hosts that listen on this machine, oldest first. Removes records of ended processes. */
export async function readHosts(folder: string): Promise<HostRecord[]> {
  return (await readRecords(folder)).filter(isListening);
}

/** The hosts and the waiting standbys of this machine, oldest first. Removes records of ended processes. */
export async function readRecords(folder: string): Promise<LocalRecord[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw unreadable(folder, error);
  });
  const found = await Promise.all(
    names.filter((name) => /^\d+\.json$/.test(name)).map((name) => readRecord(folder, name)),
  );
  return found
    .filter((record) => record !== undefined)
    .toSorted((a, b) => a.startedAt.localeCompare(b.startedAt) || a.pid - b.pid);
}

async function readRecord(folder: string, name: string): Promise<LocalRecord | undefined> {
  const file = join(folder, name);
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw unreadable(file, error);
  });
  if (text === undefined) return undefined;
  const record = parseRecord(text);
  // Records of other versions stay.
  if (record === undefined || record.machine !== hostname()) return undefined;
  if ((await processStart(record.pid)) === record.processStart) return record;
  await rm(file, { force: true });
  removeStopMark(folder, record.pid);
  return undefined;
}

function parseRecord(text: string): LocalRecord | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function isRecord(value: unknown): value is LocalRecord {
  if (typeof value !== 'object' || value === null || !('pid' in value)) return false;
  const members = new Map(Object.entries(value));
  const isText = (name: string): boolean => typeof members.get(name) === 'string';
  return (
    Number.isInteger(value.pid) &&
    TEXT_FIELDS.every(isText) &&
    ('url' in value ? HOST_FIELDS : STANDBY_FIELDS).every(isText) &&
    OPTIONAL_FIELDS.every((name) => !members.has(name) || isText(name)) &&
    ['args', 'notices'].every((name) => !members.has(name) || isTextList(members.get(name)))
  );
}

const isTextList = (value: unknown): boolean =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');

const unreadable = (path: string, cause: unknown): CliError =>
  new CliError(
    EXIT.error,
    `${path} cannot be read: check its permissions, or set XDG_STATE_HOME to another folder, for the host and for clients`,
    { cause },
  );

const isMissing = (error: unknown): boolean => hasCode(error, 'ENOENT');

/**
 * Tells a process from a later one with the same pid: boot and clock ticks on Linux, the start as `ps` prints it
 * elsewhere. `undefined` when no such process runs. The host has the same for its agents (`process-identity.ts`); of the CLI
 * only `serve` may import the host, and this runs in every command that looks for one.
 */
export async function processStart(pid: number): Promise<string | undefined> {
  if (process.platform !== 'linux') return startByPs(pid);
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    // The command stands in parentheses and may hold anything: fields are counted from behind it. Field 3 is the state,
    // field 22 the start: see proc(5).
    const statFields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8');
    return statFields[0] === 'Z' ? undefined : `${boot.trim()}/${statFields[19]}`;
  } catch {
    // The process has ended.
    return undefined;
  }
}

function startByPs(pid: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    // `ps` fails when there is no such process, which is the answer.
    execFile('ps', ['-o', 'lstart=', '-p', String(pid)], { env: { LC_ALL: 'C' } }, (_error, stdout) => {
      const text = stdout.trim();
      resolve(text === '' ? undefined : text);
    });
  });
}
