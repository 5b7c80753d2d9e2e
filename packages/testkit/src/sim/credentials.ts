import type { Host } from '@agenthost/host';
import type { SimClient } from './sim-client.ts';

/** How a client comes that may look at everything and do nothing. */
export const OBSERVER = { credential: 'of an observer', mayOnlyLook: true };

/** How those come who only pass by: with tokens that may look. */
export const CROWD = ['of the first crowd', 'of the second crowd'] as const;

/** Someone whom a client has made a token for. */
export interface Guest {
  readonly client: SimClient;
  readonly tokenId: string;
  /** Somebody was told that it has no token any more. */
  isRevoked: boolean;
}

type Identity = Parameters<Host['accept']>[1];

/** Who comes with that; `undefined`: nobody. */
export function identityOf(host: Host, credential: string | undefined): Identity | undefined {
  if (credential === undefined) return { tokenHash: 'owner', scope: 'admin' };
  if (credential === OBSERVER.credential) return { tokenHash: 'observer', scope: 'observe' };
  if (CROWD.some((each) => each === credential)) return { tokenHash: credential, scope: 'observe' };
  return host.core.accessTokens.identify(credential);
}
