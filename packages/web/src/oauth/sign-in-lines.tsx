import { lazy, Suspense, useEffect, useSyncExternalStore } from 'react';
import type { HostLink } from '../live/host-link.ts';
import { useLinkStatus } from '../live/use-hosts.ts';
import { followSignIns, onWantedSignIns, wantedSignIns } from './wanted-sign-ins.ts';

const SignInLine = lazy(async () => ({ default: (await import('./sign-in-line.tsx')).SignInLine }));

/** Lines above a session: each has a resource that the host asked this page to sign in to, for the turns that it starts [AUTH-2]. */
export function SignInLines({ link }: { readonly link: HostLink }) {
  useLinkStatus(link);
  const { client } = link;
  const wanted = useSyncExternalStore(onWantedSignIns, wantedSignIns);
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- each client of the link is heard
  useEffect(() => followSignIns(link), [link, client]);
  return (
    <Suspense>
      {wanted.map((each) => each.link === link && <SignInLine key={each.resource.resource} wanted={each} />)}
    </Suspense>
  );
}
