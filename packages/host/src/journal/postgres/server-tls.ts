import { readFile } from 'node:fs/promises';
import { type ConnectionOptions, checkServerIdentity } from 'node:tls';
import { errorCode } from '@agenthost/protocol/values';
import { JournalError } from '../journal.ts';

/** Parameters of a database URL that name PEM files, and the options of TLS that the files are for. */
const FILES = { sslrootcert: 'ca', sslcert: 'cert', sslkey: 'key' } as const;

/** Modes without TLS. `allow`, of PGSSLMODE, prefers a connection without TLS. */
const PLAIN_MODES: readonly (string | undefined)[] = [undefined, '', 'disable', 'allow'];

/**
 * Takes the parameters of TLS out of a database URL. `tls` is `false` for a connection without TLS. Each mode of a connection with TLS but `no-verify`
 * checks the certificate and the name in it: `hostOf` returns the name or the address of the server. Without `sslmode`, files mean TLS, and without
 * files the environment variable PGSSLMODE decides. Rejects with `JournalError` for a file that cannot be read.
 */
export async function splitTls(
  given: string,
  hostOf: () => string,
): Promise<{ readonly url: string; readonly tls: ConnectionOptions | false }> {
  const url = new URL(given);
  const take = (name: string): string | undefined => {
    const value = url.searchParams.get(name) || undefined;
    url.searchParams.delete(name);
    return value;
  };
  const asked = take('sslmode');
  const files: ConnectionOptions = {};
  for (const [parameter, option] of Object.entries(FILES)) {
    const path = take(parameter);
    if (path !== undefined) files[option] = await readPem(parameter, path);
  }
  const mode = asked ?? (Object.keys(files).length > 0 ? 'verify-full' : process.env['PGSSLMODE']);
  if (PLAIN_MODES.includes(mode)) return { url: url.href, tls: false };
  const tls: ConnectionOptions = {
    ...files,
    rejectUnauthorized: mode !== 'no-verify',
    // The library gives no IP address to Node, which then expects a certificate for `localhost`.
    checkServerIdentity: (_, certificate) => checkServerIdentity(hostOf(), certificate),
  };
  return { url: url.href, tls };
}

async function readPem(parameter: string, path: string): Promise<string> {
  const fail = (why: string, cause?: unknown): JournalError =>
    new JournalError(
      'io',
      `${parameter}=${path} in the URL of the database ${why}: give the path of a PEM file`,
      { cause },
    );
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw fail(`cannot be read (${errorCode(cause)})`, cause);
  });
  // With an empty text, Node would trust public authorities.
  if (!text.includes('-----BEGIN ')) throw fail('is not a PEM file');
  return text;
}
