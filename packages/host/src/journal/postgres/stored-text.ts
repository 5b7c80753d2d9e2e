import { createHash } from 'node:crypto';

/** Longer texts in key columns are stored as a digest. PostgreSQL refuses index entries above 2.7 kB, and a URI may take 48 kB. */
const MAX_KEY_UNITS = 256;

/** PostgreSQL stores no U+0000. U+0001 escapes it, and itself. */
const ESCAPED = /[\0\u0001]/g;
const ESCAPES = /\u0001([\u0002\u0003])/g;

/** Escapes a text for the server. */
export function encodeText(text: string): string {
  if (!text.includes('\0') && !text.includes('\u0001')) return text;
  return text.replaceAll(ESCAPED, (unit) => (unit === '\0' ? '\u0001\u0002' : '\u0001\u0003'));
}

/** The inverse of `encodeText`. */
export function decodeText(text: string): string {
  if (!text.includes('\u0001')) return text;
  return text.replaceAll(ESCAPES, (_, sign: string) => (sign === '\u0002' ? '\0' : '\u0001'));
}

/**
 * The key of a URI: the URI itself, or a digest when it is long. URIs contain no spaces, so no URI is the digest of another. Tables that
 * must return the URI store long ones beside the key (see `longOf`).
 */
export function keyOf(uri: string): string {
  return uri.length <= MAX_KEY_UNITS ? uri : ` ${createHash('sha256').update(uri).digest('hex')}`;
}

/** The URI when its key is a digest, or else `null`. */
export function longOf(uri: string): string | null {
  return uri.length <= MAX_KEY_UNITS ? null : uri;
}
