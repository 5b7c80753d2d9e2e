import { randomBytes } from 'node:crypto';
import { conflict, limitReached, notFound } from '@agenthost/protocol';
import type { TokenIdentity } from '../auth/access-tokens.ts';
import { hashToken } from '../auth/verify.ts';
import type { Clock } from '../lib/clock.ts';
import type { FoundPort } from './port-scanner.ts';
import { PreviewSignIns } from './preview-sign-ins.ts';

/** Previews of one host. */
const MAX_PREVIEWS = 256;
/** Open requests and WebSockets of all previews. */
const MAX_OPEN = 1_024;

/** A port of a session that can be opened through the host. */
export interface Preview {
  /** The first part of its host name: the port and random letters. */
  readonly label: string;
  readonly session: string;
  readonly port: number;
  readonly signIns: PreviewSignIns;
}

/** An address of a preview, without a path. */
export interface PreviewOrigin {
  /** Such as `http://5173-k3j5x2m4qah7wn2e.localhost:40123`. */
  readonly origin: string;
  /** Whether the host name stands for the one by which the client reaches the host. */
  readonly isAtHost: boolean;
}

/** The listeners of previews. */
export interface PreviewListeners {
  /** The address of a preview; starts to listen for it if needed. Rejects with a wire error. */
  originOf(preview: Preview): Promise<PreviewOrigin>;
  /** A preview has ended. */
  ended(preview: Preview): void;
}

/** Path of the address that signs a browser in. Programs do not get requests below `/__agenthost/`. */
export const SIGN_IN_PATH = '/__agenthost/open';

interface Parts {
  readonly clock: Clock;
  /** Whether a token is still valid. */
  isTokenValid(tokenHash: string): boolean;
  /** The port, if a process of the session listens on it now. */
  findPort(session: string, port: number): Promise<FoundPort | undefined>;
}

/** The previews of a host. A preview begins when a client opens it, and ends with its session and with the host. */
export class PreviewList {
  readonly #parts: Parts;
  readonly #byLabel = new Map<string, Preview>();
  #listeners: PreviewListeners | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Sets the listeners. Without them, no preview can be opened. */
  serve(listeners: PreviewListeners): void {
    this.#listeners = listeners;
  }

  /** Creates an address that opens a port of a session. Rejects with a wire error. */
  async open(
    session: string,
    port: number,
    identity: TokenIdentity,
  ): Promise<PreviewOrigin & { readonly url: string; readonly expiresAt: string }> {
    const listeners = this.#listeners;
    if (listeners === undefined)
      throw conflict('This host has no previews: start it with `--preview-port`, or on a loopback address');
    if ((await this.#parts.findPort(session, port)) === undefined)
      throw notFound('port of this session', String(port));
    const preview = this.#find(session, port) ?? this.#create(session, port);
    const origin = await listeners.originOf(preview);
    const { secret, expiresAt } = preview.signIns.ticket(identity);
    return { ...origin, url: `${origin.origin}${SIGN_IN_PATH}?ticket=${secret}`, expiresAt };
  }

  byLabel(label: string): Preview | undefined {
    return this.#byLabel.get(label);
  }

  /** The port of a preview, if its program runs. */
  findPort({ session, port }: Preview): Promise<FoundPort | undefined> {
    return this.#parts.findPort(session, port);
  }

  /** Whether the token that a sign-in stands for is still valid. */
  readonly isValid = ({ tokenHash }: TokenIdentity): boolean => this.#parts.isTokenValid(tokenHash);

  /** Whether a text is a token of this host, which no program may get. */
  isHostSecret(text: string): boolean {
    return /^ah[stcpv]_/.test(text) || this.#parts.isTokenValid(hashToken(text));
  }

  /** Whether no further request can be opened. */
  get isFull(): boolean {
    let count = 0;
    for (const { signIns } of this.#byLabel.values()) count += signIns.openCount;
    return count >= MAX_OPEN;
  }

  /** Ends what these identities have open, and sign-ins that are too old. */
  endThose(isEnding: (identity: TokenIdentity) => boolean): void {
    for (const { signIns } of this.#byLabel.values()) signIns.endThose(isEnding);
  }

  /** Ends the previews of a session. */
  endSession(session: string): void {
    for (const preview of [...this.#byLabel.values()]) if (preview.session === session) this.#end(preview);
  }

  /** Ends all previews. */
  stop(): void {
    for (const preview of [...this.#byLabel.values()]) this.#end(preview);
    this.#listeners = undefined;
  }

  #find(session: string, port: number): Preview | undefined {
    return [...this.#byLabel.values()].find((each) => each.session === session && each.port === port);
  }

  #create(session: string, port: number): Preview {
    if (this.#byLabel.size >= MAX_PREVIEWS)
      throw limitReached(
        `${MAX_PREVIEWS} previews are open, the maximum: dispose of sessions that are not needed`,
        'previews',
        MAX_PREVIEWS,
      );
    const label = `${port}-${randomLabel()}`;
    const preview = { label, session, port, signIns: new PreviewSignIns(this.#parts.clock) };
    this.#byLabel.set(label, preview);
    return preview;
  }

  #end(preview: Preview): void {
    this.#byLabel.delete(preview.label);
    preview.signIns.endThose(() => true);
    this.#listeners?.ended(preview);
  }
}

/** 80 random bits, in letters and digits that a host name may have. */
const randomLabel = (): string =>
  Array.from(randomBytes(16), (byte) => 'abcdefghijklmnopqrstuvwxyz234567'[byte % 32]).join('');
