import { invalidParam, type ResourceWriteParams } from '@agenthost/protocol';

/** The bytes that a client wants to write. Throws `-32602` if they do not have the named encoding, rather than writing others. */
export function decodeContent({ data, encoding }: Pick<ResourceWriteParams, 'data' | 'encoding'>): Buffer {
  if (encoding === 'utf-8') {
    if (/\p{Cs}/u.test(data))
      throw invalidParam('data', 'half a surrogate pair is no Unicode: send the bytes as base64');
    return Buffer.from(data, 'utf8');
  }
  const digits = data.replace(/={1,2}$/, '');
  if (digits.length % 4 === 1 || !/^[A-Za-z0-9+/]*$/.test(digits))
    throw invalidParam('data', 'expected base64 without spaces and line ends');
  return Buffer.from(digits, 'base64');
}
