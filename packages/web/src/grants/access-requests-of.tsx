import { lazy, Suspense } from 'react';
import type { HostLink } from '../live/host-link.ts';
import { useIsAdmin } from '../live/use-scope.ts';
import { useGrants } from './use-grants.ts';

const RequestLine = lazy(async () => ({ default: (await import('./request-line.tsx')).RequestLine }));

/** Lines above all views, for administrators: each has a request for access to files that waits for an answer. */
export function AccessRequestsOf({ link }: { readonly link: HostLink }) {
  return useIsAdmin(link) ? <AccessRequests key={link.address.id} link={link} /> : undefined;
}

function AccessRequests({ link }: { readonly link: HostLink }) {
  const { value } = useGrants(link);
  return (
    <Suspense>
      {value?.requests.map((request) => (
        <RequestLine key={request.id} link={link} request={request} />
      ))}
    </Suspense>
  );
}
