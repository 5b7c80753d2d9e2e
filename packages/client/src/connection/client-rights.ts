import { type SessionRole, scopeWithRole, type TokenScope, type URI } from '@agenthost/protocol';
import type { HostInfo } from './handshake.ts';

/** The person of a client's token, and the rights that the host grants it in sessions. Empty before the first connection. */
export class ClientRights {
  #person: string | undefined;
  #scope: TokenScope | undefined;
  #roles: Readonly<Record<string, SessionRole>> = {};

  /** The person of the token. `undefined`: it has none. */
  get person(): string | undefined {
    return this.#person;
  }

  /**
   * The right in a session: the scope of the token, or the role of its person there if that is greater. `undefined` with hosts that have no scopes.
   */
  scopeIn(session: URI): TokenScope | undefined {
    return this.#scope && scopeWithRole(this.#scope, this.#roles[session]);
  }

  /** Call it after each `initialize`. */
  connected(host: HostInfo): void {
    this.#person = host['x-person'];
    this.#scope = host['x-scope'];
    this.#roles = host['x-roles'] ?? {};
  }

  /** Call it when the host tells other roles. */
  rolesChanged(roles: Readonly<Record<string, SessionRole>>): void {
    this.#roles = roles;
  }
}
