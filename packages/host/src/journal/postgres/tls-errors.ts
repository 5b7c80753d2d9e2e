import { errorCode, errorText } from '@agenthost/protocol/values';

/** Node's codes for a certificate that fails the check (https://nodejs.org/api/tls.html#x509-certificate-error-codes). */
const UNTRUSTED = /CERT|^UNABLE_TO_|^INVALID_|^PATH_LENGTH_/;

/** A sentence about a fault of TLS, with the remedy. `undefined`: the error has another cause. */
export function tlsFault(cause: unknown, address: string): string | undefined {
  const code = errorCode(cause) ?? '';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `the certificate of PostgreSQL at ${address} is not valid for this address${namesOf(cause)}: connect to a name of the certificate`;
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID')
    return `the certificate of PostgreSQL at ${address} is not valid now (${errorText(cause)}): renew it, or correct the clock`;
  // Messages of the server about the certificate of this client.
  if (/^ERR_SSL_.*ALERT_/.test(code))
    return `PostgreSQL at ${address} refused the connection by TLS (${alertOf(code)}): check sslcert and sslkey in the URL of the database`;
  // Node appends advice about its own options.
  if (UNTRUSTED.test(code))
    return `the certificate of PostgreSQL at ${address} is not trusted (${errorText(cause).replace(/;.*/, '')}): name the file of its root certificate with sslrootcert in the URL of the database`;
  if (code.startsWith('ERR_OSSL_'))
    return `TLS with PostgreSQL at ${address} failed (${errorText(cause)}): check the files of sslcert and sslkey in the URL of the database`;
  // The library's own text.
  if (code === '' && errorText(cause) === 'The server does not support SSL connections')
    return `PostgreSQL at ${address} has no TLS: turn it on there (ssl = on), or connect with sslmode=disable`;
  return undefined;
}

/** The alert in words, such as `certificate required`. */
const alertOf = (code: string): string =>
  code
    .replace(/^.*ALERT_/, '')
    .replaceAll('_', ' ')
    .toLowerCase();

/** The names of the certificate, such as ` (it is valid for DNS:localhost)`. */
function namesOf(cause: unknown): string {
  if (!(cause instanceof Error && 'cert' in cause)) return '';
  const { cert } = cause;
  const names = typeof cert === 'object' && cert !== null && 'subjectaltname' in cert && cert.subjectaltname;
  return typeof names === 'string' ? ` (it is valid for ${names})` : '';
}
