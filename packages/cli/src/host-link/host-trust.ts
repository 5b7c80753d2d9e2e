import { readFile } from 'node:fs/promises';
import { CannotConnect } from '@agenthost/client';
import type { TlsPeer } from '@agenthost/client/pinned';
import { hasCode } from '@agenthost/protocol/values';
import type { Context } from '../process/context.ts';
import { CliError, EXIT, usageError } from '../process/exit.ts';
import { knownHostsFile } from '../process/files.ts';
import { commandLine } from '../process/own-command.ts';
import type { Screen } from '../render/screen.ts';
import { changeFile } from './change-file.ts';
import type { ClientTarget } from './open-client.ts';

const CERTIFICATE_TIMEOUT_MS = 10_000;

/** Options of `fingerprintsOf`. */
export interface TrustOptions {
  /** `--fingerprint`. */
  readonly given?: string | undefined;
  /** Aborts the connection. Default: after 10 s. */
  readonly signal?: AbortSignal;
}

/**
 * The fingerprints of which a host's certificate or key must have one; `undefined` for a certificate of an authority that this machine trusts, and without
 * TLS. `given` (`--fingerprint`) takes precedence over the stored fingerprints, and is stored. The certificate of an unknown host is shown and stored at the
 * first connection; a host with another certificate than the stored one is refused. Rejects with a `CliError`.
 */
export async function fingerprintsOf(
  context: Context,
  screen: Screen,
  target: ClientTarget,
  { given, signal = AbortSignal.timeout(CERTIFICATE_TIMEOUT_MS) }: TrustOptions = {},
): Promise<readonly string[] | undefined> {
  const url = new URL(target.url);
  const isSecure = /^(?:https|wss):$/.test(url.protocol);
  if (!isSecure) {
    if (given === undefined) return undefined;
    throw usageError(`--fingerprint requires https or wss, and the address of ${url.host} is without TLS`);
  }
  if (given === undefined && target.fingerprints !== undefined) return target.fingerprints;
  const { canonicalFingerprint } = await import('@agenthost/client/pinned');
  const file = knownHostsFile(context);
  const authority = `${url.hostname}:${url.port || '443'}`;
  const wanted = given === undefined ? undefined : canonicalFingerprint(given);
  if (given !== undefined && wanted === undefined)
    throw usageError('--fingerprint: expected a SHA-256 of 64 hexadecimal digits, with or without colons');
  const known = await knownCertificate(file, authority);
  const expected = wanted === undefined ? known && [known.fingerprint, known.keyFingerprint] : [wanted];
  const peer = await look(target.url, url.host, signal);
  if (expected?.some((one) => one === peer.fingerprint || one === peer.keyFingerprint) === true) {
    if (known?.fingerprint !== peer.fingerprint) await rememberCertificate(file, authority, peer);
    return [peer.fingerprint, peer.keyFingerprint];
  }
  // A certificate of a trusted authority may change at any time.
  if (expected === undefined && peer.isTrusted) return undefined;
  if (expected !== undefined) throw changed(url.host, expected[0] ?? '', peer, wanted === undefined);
  screen.note(
    `${url.host} is not known yet; its certificate is stored and required from now on:\n  SHA256 ${peer.fingerprint}`,
  );
  await rememberCertificate(file, authority, peer);
  return [peer.fingerprint, peer.keyFingerprint];
}

async function look(given: string, host: string, signal: AbortSignal): Promise<TlsPeer> {
  const { certificateAt } = await import('@agenthost/client/pinned');
  try {
    return await certificateAt(given, signal);
  } catch (cause) {
    if (!(cause instanceof CannotConnect)) throw cause;
    const message = isNoTls(cause.cause)
      ? `${host} does not speak TLS: use http:// or ws:// (without the s)`
      : `no host answers at ${host}: check the address, or start one with \`${commandLine('serve')}\``;
    throw new CliError(EXIT.cannotConnect, message, { cause });
  }
}

/** Whether an error is one of OpenSSL's for an answer without TLS. */
export const isNoTls = (cause: unknown): boolean =>
  hasCode(cause, 'ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG', 'ERR_SSL_HTTP_REQUEST');

function changed(host: string, expected: string, peer: TlsPeer, isRemembered: boolean): CliError {
  const remedy = isRemembered
    ? 'If the change is intended, pass the fingerprint that the host prints at its start once with --fingerprint.'
    : 'The host has another fingerprint than --fingerprint.';
  return new CliError(
    EXIT.cannotConnect,
    `THE CERTIFICATE OF ${host} HAS CHANGED: another machine may intercept the connection. Nothing was sent.\n` +
      `  expected SHA256 ${expected}\n  got      SHA256 ${peer.fingerprint}\n  ${remedy}`,
  );
}

/** Stored fingerprints of a host's certificate: SHA-256 as upper-case hex with colons. */
export interface KnownCertificate {
  readonly fingerprint: string;
  /** Of its public key: a certificate that was renewed with the same key is the same host's. */
  readonly keyFingerprint: string;
}

/** Lines of `host:port certificate key`, as of `known_hosts`; others, such as those of a later version, are left alone. */
const LINE = /^(\S+) ((?:[0-9A-F]{2}:){31}[0-9A-F]{2}) ((?:[0-9A-F]{2}:){31}[0-9A-F]{2})$/;

/** Stored fingerprints of the host with this authority. Rejects with a `CliError` when the file cannot be read. */
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

/** Stores a certificate in place of an earlier one. Only the user can read the file. Rejects with a `CliError`. */
export async function rememberCertificate(
  file: string,
  authority: string,
  { fingerprint, keyFingerprint }: KnownCertificate,
): Promise<void> {
  try {
    await changeFile(file, async () => {
      const lines = await readLines(file);
      const others = lines.filter((line) => line !== '' && !line.startsWith(`${authority} `));
      return [...others, `${authority} ${fingerprint} ${keyFingerprint}`, ''].join('\n');
    });
  } catch (cause) {
    if (cause instanceof CliError) throw cause;
    throw new CliError(EXIT.error, `${file} cannot be written: pass --fingerprint with each command`, {
      cause,
    });
  }
}

async function readLines(file: string): Promise<string[]> {
  try {
    return (await readFile(file, 'utf8')).split('\n');
  } catch (cause) {
    if (hasCode(cause, 'ENOENT')) return [];
    throw new CliError(EXIT.error, `${file} cannot be read: check its permissions, or remove it`, { cause });
  }
}
