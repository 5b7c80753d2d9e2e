import { ErrorCodes, ROOT_URI, WireError } from '@agenthost/protocol';
import { withClientFiles } from '../client-files/attachments.ts';
import { asObject, isObject, type Json } from '../json.ts';
import type { AskClient, ClientWays, FindWays } from '../ways.ts';
import { recognise, SESSION_URIS, type VsCodeHandshake } from './recognise.ts';
import { renamed } from './rename.ts';
import { type NamePort, SessionNames } from './session-names.ts';

/** What the host knows that the ways of VS Code depend on. */
export interface VsCodePort extends NamePort {
  /** The names of the settings that sessions of an agent have. `provider` absent: the default agent. Rejects if there is no such agent. */
  settingsOf(provider: string | undefined): Promise<ReadonlySet<string>>;
  /** Milliseconds of a clock that is never set. */
  now(): number;
  /** Notes that an attached file could not be read from the client. */
  onUnread(uri: string, reason: string): void;
}

/** Files that the client has and the host has not: those of the editor's own server, and of other hosts [VSC-13]. */
const OF_THE_CLIENT = /^(?:vscode-remote|vscode-agent-host):/i;

/** Number space of VS Code's actions: its numbers go on over reconnects, so its client id alone tells them apart [VSC-5]. */
const EPOCH = 'vscode';

/** Finds VS Code among the clients [VSC-2]. */
export const findVsCode =
  (port: VsCodePort): FindWays =>
  (params, ask) => {
    const handshake = recognise(params);
    return handshake && new VsCodeWays(port, handshake, ask);
  };

/** The ways of VS Code [VSC-1] to [VSC-16]. */
class VsCodeWays implements ClientWays {
  readonly name = 'VS Code';
  readonly #port: VsCodePort;
  readonly #handshake: VsCodeHandshake;
  readonly #names: SessionNames;
  readonly #ask: AskClient;

  constructor(port: VsCodePort, handshake: VsCodeHandshake, ask: AskClient) {
    this.#port = port;
    this.#handshake = handshake;
    this.#ask = ask;
    this.#names = new SessionNames(port, handshake.takesSessionUris);
  }

  paramsIn(method: string, params: unknown): unknown {
    if (!isObject(params)) return params;
    const completed = this.#completed(method, params);
    return completed instanceof Promise
      ? completed.then((given) => this.#namedIn(given))
      : this.#namedIn(completed);
  }

  /** All settings go with the number 0 [VSC-5]. */
  isUnique(clientSeq: number): boolean {
    return clientSeq > 0;
  }

  out<T extends object>(value: T): T {
    return renamed(
      value,
      (uri) => this.#names.out(uri),
      (object) => this.#learn(object),
    );
  }

  resultOut(method: string, result: unknown): unknown {
    if (!isObject(result)) return result;
    const named = this.out(result);
    if (method !== 'initialize' || !this.#handshake.takesSessionUris) return named;
    return { ...named, _meta: { ...asObject(named['_meta']), [SESSION_URIS]: true } };
  }

  insteadOf(method: string, error: unknown): { readonly result: unknown } | undefined {
    // VS Code disposes of a session that it has not used, and again when its window closes.
    const isGone = error instanceof WireError && error.code === ErrorCodes.SessionNotFound;
    return method === 'disposeSession' && isGone ? { result: null } : undefined;
  }

  #completed(method: string, params: Json): Json | Promise<Json> {
    switch (method) {
      case 'initialize':
        return { ...params, 'x-epoch': EPOCH };
      // Version 1.139 leaves the channel out [VSC-3].
      case 'reconnect':
        return { channel: ROOT_URI, ...params, 'x-epoch': EPOCH };
      case 'createSession':
        return this.#newSession(params);
      case 'dispatchAction':
        return withClientFiles(this.#onItsChannel(params), {
          isOfTheClient: (uri) => OF_THE_CLIENT.test(uri),
          ask: this.#ask,
          now: () => this.#port.now(),
          onUnread: (uri, reason) => this.#port.onUnread(uri, reason),
        });
      default:
        return params;
    }
  }

  /** VS Code names a chat by an action of its session on the chat's channel [VSC-11]. */
  #onItsChannel(params: Json): Json {
    const { channel, action } = params;
    if (!isObject(action) || action['type'] !== 'session/titleChanged' || typeof channel !== 'string')
      return params;
    const session = this.#names.sessionOfChat(channel);
    return session === undefined
      ? params
      : { ...params, channel: session, action: { ...action, 'x-chat': channel } };
  }

  /** VS Code sets what its own agents have: isolation, mode and more. */
  async #newSession(params: Json): Promise<Json> {
    const { provider, config } = params;
    // A window creates a session as soon as its chat is shown.
    const unlisted = { ...params, 'x-unlisted': true };
    if (!isObject(config)) return unlisted;
    const known = await this.#port.settingsOf(typeof provider === 'string' ? provider : undefined);
    return {
      ...unlisted,
      config: Object.fromEntries(Object.entries(config).filter(([key]) => known.has(key))),
    };
  }

  /** Names are looked up twice: sessions that must be loaded are loaded in between. */
  #namedIn(params: Json): unknown {
    const loading: Promise<unknown>[] = [];
    const found = new Map<string, string>();
    const look = (uri: string): string => {
      const known = found.get(uri) ?? this.#names.in(uri);
      if (typeof known === 'string') return known;
      loading.push(known.then((name) => found.set(uri, name)));
      return uri;
    };
    const named = renamed(params, look);
    if (loading.length === 0) return named;
    return Promise.all(loading).then(() => renamed(params, look));
  }

  #learn(object: object): void {
    if (!('resource' in object && 'provider' in object)) return;
    const { resource, provider } = object;
    if (typeof resource === 'string' && typeof provider === 'string') this.#names.learn(resource, provider);
  }
}
