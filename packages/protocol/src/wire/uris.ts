import type { URI } from './basics.ts';
import type { ChannelKind } from './channels.ts';

/** The root channel; `channel` of every connection-level method [WIRE-2]. */
export const ROOT_URI = 'ahp-root://';

/** Longest URI that a client may choose for a session, chat or terminal, in UTF-16 code units. */
export const MAX_URI_LENGTH = 512;

/** The channel of the host's automations [AUTO-2]. */
export const AUTOMATIONS_URI = 'ahp-automations://';

const ANNOTATIONS_SUFFIX = '/annotations';

/** The scheme of each kind of channel. Annotations are below the URI of their session. */
export const CHANNEL_SCHEMES = {
  root: 'ahp-root',
  session: 'ahp-session',
  chat: 'ahp-chat',
  terminal: 'ahp-terminal',
  changeset: 'ahp-changeset',
  resourceWatch: 'ahp-resource-watch',
  automation: 'ahp-automations',
  automationRun: 'ahp-automation-run',
  canvas: 'ahp-canvas',
  telemetry: 'ahp-otlp',
  mcp: 'mcp',
} as const satisfies Record<Exclude<ChannelKind, 'annotations'> | 'telemetry' | 'mcp', string>;

/** A kind of channel that has a scheme of its own. */
export type SchemeKind = keyof typeof CHANNEL_SCHEMES;

/** Kinds of channel whose URI the client chooses. */
export type ClientChosenKind = 'session' | 'chat' | 'terminal';

/** An absolute URI, split at its first colon. */
export interface ParsedUri {
  /** Lower case, without the colon. */
  scheme: string;
  /** Everything after the colon, unchanged. */
  rest: string;
}

const KIND_BY_SCHEME: ReadonlyMap<string, SchemeKind> = new Map([
  [CHANNEL_SCHEMES.root, 'root'],
  [CHANNEL_SCHEMES.session, 'session'],
  [CHANNEL_SCHEMES.chat, 'chat'],
  [CHANNEL_SCHEMES.terminal, 'terminal'],
  [CHANNEL_SCHEMES.changeset, 'changeset'],
  [CHANNEL_SCHEMES.resourceWatch, 'resourceWatch'],
  [CHANNEL_SCHEMES.automation, 'automation'],
  // Names one automation, and is no channel.
  ['ahp-automation', 'automation'],
  [CHANNEL_SCHEMES.automationRun, 'automationRun'],
  [CHANNEL_SCHEMES.canvas, 'canvas'],
  [CHANNEL_SCHEMES.telemetry, 'telemetry'],
  [CHANNEL_SCHEMES.mcp, 'mcp'],
]);

/** UTF-8 cannot encode a lone surrogate, so two URIs that differ only there would be equal on disk. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * Splits an absolute URI. `undefined` when it has no scheme, nothing after it, white space, control
 * characters or lone surrogates.
 */
export function parseResourceUri(uri: string): ParsedUri | undefined {
  const match = /^([A-Za-z][A-Za-z0-9+.-]*):([^\s\u0000-\u001f\u007f]+)$/.exec(uri);
  const [, scheme, rest] = match ?? [];
  if (scheme === undefined || rest === undefined || LONE_SURROGATE.test(rest)) return undefined;
  return { scheme: scheme.toLowerCase(), rest };
}

/**
 * The kind that belongs to a URI's scheme; `undefined` for other schemes. It determines only the error for an
 * unknown channel [SUB-1]; the host's registry knows which channels exist.
 */
export function kindOfScheme(uri: string): SchemeKind | undefined {
  const parsed = parseResourceUri(uri);
  return parsed && KIND_BY_SCHEME.get(parsed.scheme);
}

/**
 * Whether a client may choose this URI for a new channel of that kind: absolute, at most {@link
 * MAX_URI_LENGTH} long, with that kind's scheme or one that is not the protocol's, and without the ending of
 * an annotations channel.
 */
export function isAcceptableUri(uri: string, kind: ClientChosenKind): boolean {
  if (uri.length > MAX_URI_LENGTH || uri.endsWith(ANNOTATIONS_SUFFIX)) return false;
  const parsed = parseResourceUri(uri);
  if (parsed === undefined) return false;
  const taken = KIND_BY_SCHEME.get(parsed.scheme);
  return taken === undefined || taken === kind;
}

/** The URI of a channel with its kind's scheme: `ahp-chat:/<id>`. */
export function channelUri(
  kind: Exclude<SchemeKind, 'root' | 'automation' | 'telemetry' | 'mcp'>,
  id: string,
): URI {
  return `${CHANNEL_SCHEMES[kind]}:/${id}`;
}

/** The URI of a session's annotations. */
export function annotationsUri(session: URI): URI {
  return session + ANNOTATIONS_SUFFIX;
}

/** The session of an annotations URI; `undefined` for any other URI. */
export function sessionOfAnnotations(uri: URI): URI | undefined {
  return uri.endsWith(ANNOTATIONS_SUFFIX) ? uri.slice(0, -ANNOTATIONS_SUFFIX.length) : undefined;
}

/**
 * Whether an agent provider may have this id. It must be valid as a scheme, because some clients name
 * sessions `<provider>:/<uuid>`.
 */
export function isValidProviderId(id: string): boolean {
  return /^[a-z][a-z0-9+.-]*$/.test(id) && !KIND_BY_SCHEME.has(id);
}
