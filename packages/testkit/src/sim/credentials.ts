import type { Host } from '@agenthost/host';
import type { SimClient } from './sim-client.ts';

/** A client with a token that may only observe. */
export const OBSERVER = { credential: 'of an observer', mayOnlyLook: true };

/** Credentials of passing clients that may only observe. */
export const CROWD = ['of the first crowd', 'of the second crowd'] as const;

/** A client with a token that another client created. */
export interface Guest {
  readonly client: SimClient;
  readonly tokenId: string;
  /** The client that revoked the token was told so. */
  isRevoked: boolean;
}

type Identity = Parameters<Host['accept']>[1];

/** The identity for a credential; `undefined` when it is refused. */
export function identityOf(host: Host, credential: string | undefined): Identity | undefined {
  if (credential === undefined) return { tokenHash: 'owner', scope: 'admin' };
  if (credential === OBSERVER.credential) return { tokenHash: 'observer', scope: 'observe' };
  if (CROWD.some((each) => each === credential)) return { tokenHash: credential, scope: 'observe' };
  return host.core.accessTokens.identify(credential);
}
