import type { AuthRequiredReason } from '@agenthost/protocol';
import { errorText } from '@agenthost/protocol/values';
import type { Log } from '../../lib/log.ts';
import type { Sync } from '../../sync/sync.ts';
import type { SignedIn } from './open-sign-ins.ts';

/** A token that agents have accepted, without its text. */
export interface HeldToken {
  /** Its end, by `steadyNow`. */
  readonly end: number;
  /** Why the client will be asked for another one. */
  readonly reason: AuthRequiredReason;
  /** Gets the next token. `undefined`: only the client can. */
  renew: (() => Promise<SignedIn>) | undefined;
  /** Whether the client was told of its end. */
  isTold: boolean;
}

const KEY = 'signedInClients';

/**
 * The tokens that agents have accepted, by client and resource. The journal has which clients had a token for which resources, and no token: the next
 * host asks these clients again [AUTH-2].
 */
export class HeldTokens {
  readonly #sync: Sync;
  readonly #log: Log;
  readonly #tokens = new Map<string, Map<string, HeldToken>>();
  #stored = '{}';

  private constructor(sync: Sync, log: Log) {
    this.#sync = sync;
    this.#log = log;
  }

  static async load({ sync, log }: { readonly sync: Sync; readonly log: Log }): Promise<HeldTokens> {
    const held = new HeldTokens(sync, log);
    held.#stored = (await sync.journal.readMeta(KEY)) ?? '{}';
    // `#store` wrote the value.
    const earlier: Record<string, string[]> = JSON.parse(held.#stored);
    const lost = { end: Number.NEGATIVE_INFINITY, reason: 'required', renew: undefined } as const;
    for (const [clientId, resources] of Object.entries(earlier)) {
      const tokens = resources.map((resource) => [resource, { ...lost, isTold: false }] as const);
      held.#tokens.set(clientId, new Map(tokens));
    }
    return held;
  }

  get(clientId: string, resource: string): HeldToken | undefined {
    return this.#tokens.get(clientId)?.get(resource);
  }

  set(clientId: string, resource: string, token: Pick<HeldToken, 'end' | 'renew'>): void {
    const tokens = this.#tokens.get(clientId) ?? new Map<string, HeldToken>();
    this.#tokens.set(clientId, tokens.set(resource, { ...token, reason: 'expired', isTold: false }));
    this.#store();
  }

  delete(clientId: string, resource: string): void {
    const tokens = this.#tokens.get(clientId);
    tokens?.delete(resource);
    if (tokens?.size === 0) this.#tokens.delete(clientId);
    this.#store();
  }

  /** Forgets the tokens of clients that hold nothing any more. */
  dropClients(isGone: (clientId: string) => boolean): void {
    for (const clientId of this.#tokens.keys()) if (isGone(clientId)) this.#tokens.delete(clientId);
    this.#store();
  }

  /** All tokens, with their clients and resources. */
  get all(): readonly (readonly [clientId: string, resource: string, token: HeldToken])[] {
    return [...this.#tokens].flatMap(([clientId, tokens]) =>
      [...tokens].map(([resource, token]) => [clientId, resource, token] as const),
    );
  }

  #store(): void {
    const value = JSON.stringify(
      Object.fromEntries([...this.#tokens].map(([clientId, tokens]) => [clientId, [...tokens.keys()]])),
    );
    if (value === this.#stored) return;
    this.#stored = value;
    this.#sync.commitRows([{ op: 'meta', key: KEY, value }]).catch((error: unknown) => {
      // The host stops. The clients are asked by their next turns.
      this.#log.info({ error: errorText(error) }, 'the signed-in clients were not stored');
    });
  }
}
