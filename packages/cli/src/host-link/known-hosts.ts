import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { CliError, EXIT } from '../process/exit.ts';

/** What is remembered of a host's certificate. SHA-256 as upper-case hex with colons. */
export interface KnownCertificate {
  readonly fingerprint: string;
  /** Of its public key: a certificate that was renewed with the same key is the same host's. */
  readonly keyFingerprint: string;
}

/** Lines of `host:port certificate key`, as of `known_hosts`; others, such as those of a later version, are left alone. */
const LINE = /^(\S+) ((?:[0-9A-F]{2}:){31}[0-9A-F]{2}) ((?:[0-9A-F]{2}:){31}[0-9A-F]{2})$/;

/** What is known of the host with this authority. Rejects with a `CliError` when the file cannot be read. */
export async function knownCertificate(
  file: string,
  authority: string,
): Promise<KnownCertificate | undefined> {
  for (const line of await readLines(file)) {
    const [, host, fingerprint, keyFingerprint] = LINE.exec(line) ?? [];
    if (host === authority && fingerprint !== undefined && keyFingerprint !== undefined)
      return { fingerprint, keyFingerprint };
  }
  return undefined;
}

/** Remembers it in place of what was known before; the file is the user's alone. Rejects with a `CliError`. */
export async function rememberCertificate(
  file: string,
  authority: string,
  { fingerprint, keyFingerprint }: KnownCertificate,
): Promise<void> {
  const others = (await readLines(file)).filter((line) => line !== '' && !line.startsWith(`${authority} `));
  const text = [...others, `${authority} ${fingerprint} ${keyFingerprint}`, ''].join('\n');
  const draft = `${file}.${process.pid}.tmp`;
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(draft, text, { mode: 0o600 });
    await rename(draft, file);
  } catch (cause) {
    await rm(draft, { force: true });
    throw new CliError(EXIT.error, `${file} cannot be written: give the host's --fingerprint each time`, {
      cause,
    });
  }
}

async function readLines(file: string): Promise<string[]> {
  try {
    return (await readFile(file, 'utf8')).split('\n');
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return [];
    throw new CliError(EXIT.error, `${file} cannot be read: see who may, or remove it`, { cause });
  }
}
