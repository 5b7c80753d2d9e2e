import type { Host } from '@agenthost/host';
import type { SimClient } from './sim-client.ts';

/** Options of the observing client. */
export const OBSERVER = { credential: 'of an observer', mayOnlyLook: true };

/** Credentials of crowd clients, which may only observe. */
export const CROWD = ['of the first crowd', 'of the second crowd'] as const;

/** A client with a token that another client created. */
export interface Guest {
  readonly client: SimClient;
  readonly tokenId: string;
  /** Whether the host has confirmed the revocation. */
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
