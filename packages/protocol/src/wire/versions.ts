import type { ResponsePart } from '../chat/state.ts';
import type { StateAction } from './envelope.ts';

/** The version that this package's types describe, and that host and client use internally. */
export const PROTOCOL_VERSION = '0.5.2';

/** Versions that the host supports, highest first. */
export const SUPPORTED_VERSIONS = ['0.5.2', '0.5.1', '0.5.0'] as const;

/** A version that the host supports. */
export type SupportedVersion = (typeof SUPPORTED_VERSIONS)[number];

/** Result of {@link negotiateVersion}: `malformed` is answered with `-32602`, `unsupported` with `-32005`. */
export type VersionNegotiation =
  | { ok: true; version: SupportedVersion }
  | { ok: false; reason: 'malformed' | 'unsupported' };

const SEMVER =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?(\+[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$/;

/**
 * Picks the highest offered version that the host supports, in whatever order the client lists them [CONN-1].
 * Invalid entries are skipped; a list without a valid version is `malformed`.
 */
export function negotiateVersion(offered: readonly unknown[]): VersionNegotiation {
  const versions = offered.filter((entry) => typeof entry === 'string' && SEMVER.test(entry));
  if (versions.length === 0) return { ok: false, reason: 'malformed' };
  const version = SUPPORTED_VERSIONS.find((spoken) => versions.includes(spoken));
  return version === undefined ? { ok: false, reason: 'unsupported' } : { ok: true, version };
}

/**
 * Actions and parts newer than the lowest supported version, with the version that introduced them [CONN-9].
 * No notification is newer; fields are listed in `dialects/newer-fields.ts`.
 */
export const INTRODUCED_IN = {
  actions: {
    'session/inputNeededSet': '0.5.1',
    'session/inputNeededRemoved': '0.5.1',
    'chat/turnsLoaded': '0.5.1',
    'session/mcpServerStartRequested': '0.5.2',
    'session/mcpServerStopRequested': '0.5.2',
    'changeset/filesReviewedChanged': '0.5.2',
  },
  responseParts: { inputRequest: '0.5.2' },
} as const satisfies {
  actions: { [T in StateAction['type']]?: SupportedVersion };
  responseParts: { [K in ResponsePart['kind']]?: SupportedVersion };
};

/** Whether an action of this type may be sent to a peer with this version [CONN-9]. */
export function isActionKnownAt(type: StateAction['type'], version: SupportedVersion): boolean {
  return isReached(sinceOf(INTRODUCED_IN.actions, type), version);
}

/** Whether a response part of this kind may be sent to a peer with this version [CONN-9]. */
export function isResponsePartKnownAt(kind: ResponsePart['kind'], version: SupportedVersion): boolean {
  return isReached(sinceOf(INTRODUCED_IN.responseParts, kind), version);
}

function sinceOf(introduced: Record<string, SupportedVersion>, name: string): SupportedVersion | undefined {
  return Object.hasOwn(introduced, name) ? introduced[name] : undefined;
}

/** The list is ordered from the highest version, so `since` is reached when `version` is not after it. */
export function isReached(since: SupportedVersion | undefined, version: SupportedVersion): boolean {
  return since === undefined || SUPPORTED_VERSIONS.indexOf(version) <= SUPPORTED_VERSIONS.indexOf(since);
}
