import type { HostLink, LinkStatus } from '../live/host-link.ts';
import { SignInPage } from '../sign-in/sign-in-page.tsx';
import { text } from '../text/text.ts';
import { Button } from '../ui/button.tsx';
import { FullPage } from '../ui/full-page.tsx';

/** HTTP status of a missing or wrong token. */
const UNAUTHORIZED = 401;

/** Replaces all views while the page's own host cannot be used, and says what to do. `undefined`: it can be used. */
export function troublePage(link: HostLink, status: LinkStatus): React.ReactNode {
  switch (status.state) {
    case 'refused':
      if (status.httpStatus === UNAUTHORIZED || status.httpStatus === undefined)
        return <SignInPage onSignedIn={() => link.retryNow()} />;
      return (
        <FullPage title={text.connection.refusedTitle}>
          <p className="break-words">{status.reason}</p>
          <p className="break-words">{text.connection.originRefused(location.origin)}</p>
          <Retry link={link} />
        </FullPage>
      );
    case 'incompatible':
      return (
        <FullPage title={text.connection.incompatibleTitle}>
          <p className="break-words">{text.connection.incompatible(status.reason)}</p>
          <Button look="primary" onClick={() => location.reload()}>
            {text.app.reload}
          </Button>
        </FullPage>
      );
    case 'away':
      if (link.client !== undefined) return undefined;
      return (
        <FullPage title={text.connection.unreachableTitle}>
          <p className="break-words">{text.connection.unreachable(link.address.name)}</p>
          <Retry link={link} />
        </FullPage>
      );
    default:
      return undefined;
  }
}

function Retry({ link }: { readonly link: HostLink }) {
  return (
    <Button look="primary" onClick={() => link.retryNow()}>
      {text.connection.retryNow}
    </Button>
  );
}
