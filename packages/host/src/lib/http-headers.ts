/** Headers of one connection (RFC 9110, 7.6.1). `Connection` may name more. */
const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

/** Names, in lower case, of the headers that a proxy does not pass on. `connection`: the value of the header `Connection`. */
export function connectionHeaders(connection: string | undefined): ReadonlySet<string> {
  const named = (connection ?? '').split(',').map((name) => name.trim().toLowerCase());
  return new Set([...HOP_BY_HOP, ...named.filter((name) => name !== '')]);
}

/** The headers of a message, as Node lists them: names and values alternately. */
export function* headerPairs(raw: readonly string[]): Generator<[name: string, value: string]> {
  for (let index = 0; index + 1 < raw.length; index += 2) yield [raw[index] ?? '', raw[index + 1] ?? ''];
}
