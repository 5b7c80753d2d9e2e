import { type BeginSignInResult, ROOT_URI } from '@agenthost/protocol';
import { useEffect, useRef, useState } from 'react';
import { type HostLink, messageOf } from '../live/host-link.ts';
import { oauthText } from '../text/oauth-text.ts';
import { onReturned, type Returned, redirectUri } from './redirects.ts';
import { dropSignIn, followSignIns } from './wanted-sign-ins.ts';

/** The state of one sign-in. */
export type OAuthState =
  | { readonly kind: 'idle'; readonly problem?: string }
  | { readonly kind: 'beginning' }
  | { readonly kind: 'open'; readonly begun: BeginSignInResult }
  | { readonly kind: 'done' };

/** What a sign-in asks for. */
export interface OAuthRequest {
  /** Identifier of the resource. */
  readonly resource: string;
  readonly scopes?: readonly string[] | undefined;
}

/**
 * Runs the sign-in to a resource of a host: with a redirect to this page, or with a code that the person enters elsewhere. `onDone` is called
 * once after a success, while the sign-in is shown.
 */
export function useOAuth(
  link: HostLink,
  { resource, scopes }: OAuthRequest,
  onDone?: () => void,
): {
  readonly state: OAuthState;
  readonly begin: (how: 'redirect' | 'code', clientId: string) => Promise<void>;
  readonly cancel: () => void;
} {
  const [state, setState] = useState<OAuthState>({ kind: 'idle' });
  /** Ends the attempt that runs. */
  const stop = useRef<() => void>(() => undefined);
  useEffect(() => () => stop.current(), []);

  const begin = async (how: 'redirect' | 'code', clientId: string): Promise<void> => {
    stop.current();
    let isOver = false;
    let leave = (): void => undefined;
    stop.current = () => {
      isOver = true;
      leave();
    };
    const show = (next: OAuthState): void => {
      if (!isOver) setState(next);
    };
    const { client } = link;
    if (client === undefined) return show({ kind: 'idle', problem: oauthText.away });
    const finish = async (given: Partial<Returned> & { id: string }): Promise<void> => {
      const { id, code, iss, error } = given;
      if (error !== undefined) return show({ kind: 'idle', problem: oauthText.refused(error) });
      try {
        await client.request('x-finishSignIn', {
          channel: ROOT_URI,
          id,
          ...(code === undefined ? {} : { code }),
          ...(iss === undefined ? {} : { iss }),
        });
        show({ kind: 'done' });
        if (!isOver) onDone?.();
        dropSignIn(link, resource);
        // The token expires one day.
        followSignIns(link);
      } catch (cause) {
        show({ kind: 'idle', problem: messageOf(cause) });
      }
    };
    show({ kind: 'beginning' });
    try {
      const begun = await client.request('x-beginSignIn', {
        channel: ROOT_URI,
        resource,
        ...(how === 'redirect' ? { redirectUri: redirectUri() } : {}),
        ...(clientId === '' ? {} : { clientId }),
        ...(scopes === undefined ? {} : { scopes: [...scopes] }),
      });
      if (isOver) return;
      show({ kind: 'open', begun });
      if (begun.userCode !== undefined) return await finish({ id: begun.id });
      leave = onReturned(begun.id, (returned) => {
        // A code works once.
        leave();
        void finish(returned);
      });
    } catch (cause) {
      show({ kind: 'idle', problem: messageOf(cause) });
    }
  };
  const cancel = (): void => {
    stop.current();
    setState({ kind: 'idle' });
  };
  return { state, begin, cancel };
}
