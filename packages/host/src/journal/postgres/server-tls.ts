import { readFile } from 'node:fs/promises';
import { type ConnectionOptions, checkServerIdentity } from 'node:tls';

/** Parameters of a database URL that name PEM files, and the options of TLS that the files are for. */
const FILES = { sslrootcert: 'ca', sslcert: 'cert', sslkey: 'key' } as const;

/** Modes without TLS. `allow`, of PGSSLMODE, prefers a connection without TLS. */
const PLAIN_MODES: readonly (string | undefined)[] = [undefined, '', 'disable', 'allow'];

/**
 * Takes the parameters of TLS out of a database URL. `tls` is `false` for a connection without TLS. Each mode of a connection with TLS but `no-verify`
 * checks the certificate and the name in it: `hostOf` returns the name or the address of the server. Without `sslmode`, files mean TLS, and without
 * files the environment variable PGSSLMODE decides.
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
    if (path !== undefined) files[option] = await readFile(path, 'utf8');
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
