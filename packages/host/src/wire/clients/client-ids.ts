import type { Tx } from '../../sync/tx.ts';

/** Whose client ids are [AUTH-1]. */
export interface ClientIds {
  /** A connection speaks for this id now, so that it belongs to a token. */
  isHere(clientId: string): boolean;
  /** Finds the token that an id belongs to. */
  lookUp(clientId: string): Promise<ClientBinding>;
}

/** An id that was looked up. */
export interface ClientBinding {
  /** Binds it to this token, unless it belongs to one that lets somebody in. */
  bindTo(tx: Tx, tokenHash: string): void;
}
