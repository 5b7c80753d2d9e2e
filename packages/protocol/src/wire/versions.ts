/** The version that this package's types describe, and that host and client use internally. */
export const PROTOCOL_VERSION = '1.0.0';

/** The versions with shapes of their own that the host speaks, newest first [NEG-3]. */
export const VERSION_LINES = [
  '1.0.0',
  '0.9.0',
  '0.8.0',
  '0.7.0',
  '0.6.0',
  '0.5.2',
  '0.5.1',
  '0.5.0',
  '0.4.0',
] as const;

/** A version with shapes of its own. */
export type VersionLine = (typeof VERSION_LINES)[number];

/** The ranges that the host names to a client without a common version [NEG-5]. */
export const SUPPORTED_RANGES = [
  '^1.0.0',
  '^0.9.0',
  '^0.8.0',
  '^0.7.0',
  '^0.6.0',
  '^0.5.0',
  '^0.4.0',
] as const;

/** Result of {@link negotiateVersion}: `malformed` is answered with `-32602`, `unsupported` with `-32005`. */
export type VersionNegotiation =
  | { ok: true; version: string }
  | { ok: false; reason: 'malformed' | 'unsupported' };

const VERSION = /^(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})$/;

/**
 * Picks the highest offered version that lies in a range of the host, in whatever order the client lists them, and returns it as offered
 * [NEG-1] [NEG-2]. Malformed entries are skipped; a list without a well-formed entry is `malformed` [NEG-4].
 */
export function negotiateVersion(offered: readonly unknown[]): VersionNegotiation {
  const versions = offered.flatMap((entry) => parse(entry) ?? []);
  if (versions.length === 0) return { ok: false, reason: 'malformed' };
  const [best] = versions.filter(({ text }) => lineOf(text) !== undefined).toSorted(descending);
  return best === undefined ? { ok: false, reason: 'unsupported' } : { ok: true, version: best.text };
}

/**
 * Returns the shapes that a peer of a version uses; `undefined`: the version lies in no range of the host [NEG-2]. Ranges are carets: the same
 * major version from 1 on, the same minor version below.
 */
export function lineOf(version: string): VersionLine | undefined {
  const parsed = parse(version);
  if (parsed === undefined) return undefined;
  const [major, minor, patch] = parsed.numbers;
  if (major === 1) return '1.0.0';
  if (major !== 0) return undefined;
  // Within 0.5 the patch matters [NEG-3].
  const line = minor === 5 ? `0.5.${Math.min(patch, 2)}` : `0.${minor}.0`;
  return VERSION_LINES.find((known) => known === line);
}

interface Parsed {
  readonly text: string;
  readonly numbers: readonly [number, number, number];
}

function parse(entry: unknown): Parsed | undefined {
  const found = typeof entry === 'string' ? VERSION.exec(entry) : null;
  if (found === null) return undefined;
  const [text, major, minor, patch] = found;
  return { text, numbers: [Number(major), Number(minor), Number(patch)] };
}

function descending(left: Parsed, right: Parsed): number {
  for (const [index, number] of left.numbers.entries()) {
    const difference = (right.numbers[index] ?? 0) - number;
    if (difference !== 0) return difference;
  }
  return 0;
}
