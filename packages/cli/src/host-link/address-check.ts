const limitMs = 3_000;

/** Who answers at an address, as far as a plain request tells. */
export type Answerer = 'host' | 'tls' | 'stranger' | 'nobody';

/** Asks what listens there. `url` is `http(s)` or `ws(s)`; its path does not matter. Never rejects. */
export async function whoAnswersAt(url: string): Promise<Answerer> {
  const { protocol, host } = new URL(url);
  try {
    const response = await fetch(`${protocol.replace('ws', 'http')}//${host}/readyz`, {
      redirect: 'manual',
      signal: AbortSignal.timeout(limitMs),
    });
    if (Number(response.headers.get('content-length') ?? 0) > 100) {
      await response.body?.cancel();
      return 'stranger';
    }
    const text = await response.text();
    if (text.startsWith('This host speaks TLS here')) return 'tls';
    return /^(?:not )?ready\n$/.test(text) ? 'host' : 'stranger';
  } catch (error) {
    return isOtherProtocol(error) ? 'stranger' : 'nobody';
  }
}

/** Something took the connection and spoke, or hung up; it only was no HTTP. */
function isOtherProtocol(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  if (!(cause instanceof Error)) return false;
  const code = 'code' in cause ? cause.code : undefined;
  return cause.name === 'HTTPParserError' || code === 'UND_ERR_SOCKET' || code === 'ECONNRESET';
}
