import type { ResponsePart } from '../chat/state.ts';
import type { StateAction } from './envelope.ts';

/** The version that this package's types describe and that the inside of host and client speaks. */
export const PROTOCOL_VERSION = '0.5.2';

/** Versions that the host accepts, highest first. */
export const SUPPORTED_VERSIONS = ['0.5.2', '0.5.1', '0.5.0'] as const;

/** A version that the host accepts. */
export type SupportedVersion = (typeof SUPPORTED_VERSIONS)[number];

/** Outcome of {@link negotiateVersion}: `malformed` is answered by `-32602`, `unsupported` by `-32005`. */
export type VersionNegotiation =
  | { ok: true; version: SupportedVersion }
  | { ok: false; reason: 'malformed' | 'unsupported' };

const SEMVER =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?(\+[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$/;

/**
 * Picks the highest offered version that the host speaks, whatever the client's order [CONN-1].
 * Entries that are no semantic version are skipped; a list without any other is `malformed`.
 */
export function negotiateVersion(offered: readonly unknown[]): VersionNegotiation {
  const versions = offered.filter((entry) => typeof entry === 'string' && SEMVER.test(entry));
  if (versions.length === 0) return { ok: false, reason: 'malformed' };
  const version = SUPPORTED_VERSIONS.find((spoken) => versions.includes(spoken));
  return version === undefined ? { ok: false, reason: 'unsupported' } : { ok: true, version };
}

/**
 * What is younger than the lowest supported version, with the version that introduced it [CONN-9]. No notification is; fields are in
 * `dialects/newer-fields.ts`.
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

/** True when an action of this type may be sent to a peer that negotiated `version` [CONN-9]. */
export function isActionKnownAt(type: StateAction['type'], version: SupportedVersion): boolean {
  return isReached(sinceOf(INTRODUCED_IN.actions, type), version);
}

/** True when a response part of this kind may be sent to a peer that negotiated `version` [CONN-9]. */
export function isResponsePartKnownAt(kind: ResponsePart['kind'], version: SupportedVersion): boolean {
  return isReached(sinceOf(INTRODUCED_IN.responseParts, kind), version);
}

function sinceOf(introduced: Record<string, SupportedVersion>, name: string): SupportedVersion | undefined {
  return Object.hasOwn(introduced, name) ? introduced[name] : undefined;
}

/** The list is highest first, so a version has reached `since` when it does not stand behind it. */
export function isReached(since: SupportedVersion | undefined, version: SupportedVersion): boolean {
  return since === undefined || SUPPORTED_VERSIONS.indexOf(version) <= SUPPORTED_VERSIONS.indexOf(since);
}
