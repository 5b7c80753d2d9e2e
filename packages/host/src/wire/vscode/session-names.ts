import { CHANNEL_SCHEMES, channelUri, type ParsedUri, parseResourceUri } from '@agenthost/protocol';

/** A session as its own state or the catalogue has it. */
export interface KnownSession {
  readonly provider: string;
  readonly defaultChat?: string | undefined;
  readonly chats?: readonly { readonly resource: string; readonly origin?: unknown }[] | undefined;
}

/** What the names of sessions and chats depend on. */
export interface NamePort {
  /** Whether an agent provider has this id. */
  isProvider(id: string): boolean;
  /** A session in memory. */
  session(uri: string): KnownSession | undefined;
  /** The session of a chat in memory. */
  sessionOfChat(uri: string): string | undefined;
  /** Loads a session. Resolves with `undefined` if there is none. */
  load(uri: string): Promise<KnownSession | undefined>;
}

const SESSION_PREFIX = `${CHANNEL_SCHEMES.session}:/`;
const CHAT_PREFIX = `${CHANNEL_SCHEMES.chat}:/`;
/** Longest name that is looked up, and the number of names that are kept. Above it the oldest go. */
const MAX_NAME_LENGTH = 2_048;
const MAX_NAMES = 10_000;
const DEFAULT_CHAT = 'default';
const WORKER_CHAT = 'subagent';

/**
 * The names of sessions and chats that VS Code uses [VSC-7] [VSC-8]: `<provider>:/<id>` for a session, `ahp-chat://default/<session>` for its
 * default chat and `ahp-chat://<id>/<session>` for others, where `<session>` is the name of the session in base64url. The host's own are
 * `ahp-session:/<id>` and `ahp-chat:/<id>`.
 */
export class SessionNames {
  readonly #port: NamePort;
  readonly #takesSessionUris: boolean;
  /** What was shown before: sessions that have left memory since are still named alike. */
  readonly #providers = new Map<string, string>();
  readonly #chats = new Map<string, string>();
  /** Names that the host itself uses. */
  readonly #asTheyAre = new Set<string>();

  constructor(port: NamePort, takesSessionUris: boolean) {
    this.#port = port;
    this.#takesSessionUris = takesSessionUris;
  }

  /** Notes the provider of a session, as the catalogue tells it. */
  learn(session: string, provider: string): void {
    if (session.startsWith(SESSION_PREFIX)) keep(this.#providers, session, provider);
    else this.#asTheyAre.add(session);
  }

  /** The name that VS Code has for a URI of the host. Other URIs stay as they are. */
  out(uri: string): string {
    if (uri.startsWith(SESSION_PREFIX)) return this.#sessionOut(uri);
    return uri.startsWith(CHAT_PREFIX) ? this.#chatOut(uri) : uri;
  }

  /** The host's URI for a name of VS Code. Other URIs stay as they are. A promise: a session must be loaded to know. */
  in(uri: string): string | Promise<string> {
    if (uri.length > MAX_NAME_LENGTH) return uri;
    if (uri.startsWith(`${CHANNEL_SCHEMES.chat}://`)) return this.#chatIn(uri);
    const parsed = parseResourceUri(uri);
    if (parsed === undefined || !this.#port.isProvider(parsed.scheme)) return uri;
    return this.#sessionIn(uri, parsed);
  }

  /** The name or URI of the session of a chat. `undefined`: the name is not of a chat. */
  sessionOfChat(chat: string): string | undefined {
    const [, encoded = ''] = /^ahp-chat:\/\/[^/]+\/([^/]+)/.exec(chat) ?? [];
    const named = Buffer.from(encoded, 'base64url').toString();
    return parseResourceUri(named) === undefined ? this.#port.sessionOfChat(chat) : named;
  }

  #sessionOut(uri: string): string {
    if (this.#takesSessionUris) return uri;
    const provider = this.#port.session(uri)?.provider ?? this.#providers.get(uri);
    if (provider === undefined) return uri;
    keep(this.#providers, uri, provider);
    return `${provider}:/${uri.slice(SESSION_PREFIX.length)}`;
  }

  #chatOut(uri: string): string {
    const session = this.#port.sessionOfChat(uri);
    if (session === undefined) return this.#chats.get(uri) ?? uri;
    const isDefault = this.#port.session(session)?.defaultChat === uri;
    const id = isDefault ? DEFAULT_CHAT : uri.slice(CHAT_PREFIX.length);
    if (!/^[\w.-]+$/.test(id)) return uri;
    const name = `${CHANNEL_SCHEMES.chat}://${id}/${Buffer.from(this.out(session)).toString('base64url')}`;
    keep(this.#chats, uri, name);
    return name;
  }

  #sessionIn(uri: string, { scheme, rest }: ParsedUri): string {
    const id = rest.replace(/^\/+/, '');
    const own = channelUri('session', id);
    // A session of another client may have such a name.
    const isOwnName = this.#asTheyAre.has(uri) || this.#port.session(uri) !== undefined;
    if (isOwnName && this.#port.session(own) === undefined) return uri;
    // A session that does not exist is named as the client named it.
    if (!this.#providers.has(own)) keep(this.#providers, own, scheme);
    return own;
  }

  #chatIn(uri: string): string | Promise<string> {
    const [, id = '', encoded = '', call] = /^ahp-chat:\/\/([^/]+)\/([^/]+)(?:\/(.+))?$/.exec(uri) ?? [];
    const named = Buffer.from(encoded, 'base64url').toString();
    if (id === '' || parseResourceUri(named) === undefined) return uri;
    if (id !== DEFAULT_CHAT && id !== WORKER_CHAT) return channelUri('chat', id);
    const session = this.in(named);
    if (typeof session !== 'string') return uri;
    const chatOf = (known: KnownSession | undefined): string =>
      (id === DEFAULT_CHAT ? known?.defaultChat : workerOf(known, call)) ?? uri;
    const known = this.#port.session(session);
    return known === undefined ? this.#port.load(session).then(chatOf) : chatOf(known);
  }
}

function keep(names: Map<string, string>, uri: string, name: string): void {
  names.set(uri, name);
  if (names.size <= MAX_NAMES) return;
  const [oldest] = names.keys();
  if (oldest !== undefined) names.delete(oldest);
}

/** The chat that a tool call has started. */
function workerOf(session: KnownSession | undefined, encodedCall = ''): string | undefined {
  return session?.chats?.find(({ origin }) => {
    if (typeof origin !== 'object' || origin === null || !('toolCallId' in origin)) return false;
    return encodeURIComponent(String(origin.toolCallId)) === encodedCall || origin.toolCallId === encodedCall;
  })?.resource;
}
