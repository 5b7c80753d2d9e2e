import type { TokenScope } from '@agenthost/protocol';

/** Who stands behind a connection, as the upgrade decided [AUTH-1]. */
export interface Identity {
  /** Hash of the token: a client id belongs to the token that used it first. */
  readonly tokenHash: string;
  /** What the token lets its bearer do; only `admin` may use any working directory and manage the host. */
  readonly scope: TokenScope;
}
