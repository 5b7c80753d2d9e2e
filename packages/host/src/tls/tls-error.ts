/** Certificate or key cannot be used. The message is one sentence that names the file and says what to do. */
export class TlsError extends Error {
  override readonly name = 'TlsError';
  readonly code = 'tls';
}
