import { Plus } from 'lucide-react';
import { useState } from 'react';
import type { HostLink, LinkStatus } from '../../live/host-link.ts';
import { OWN_HOST } from '../../live/hosts.ts';
import { useHosts, useLinkStatus, useLinks } from '../../live/use-hosts.ts';
import { text } from '../../text/text.ts';
import { visibleText } from '../../text/visible-text.ts';
import { Button } from '../../ui/button.tsx';
import { classes } from '../../ui/class-names.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { SafeText } from '../../ui/safe-text.tsx';
import { AddHostForm } from './add-host-form.tsx';

/** The hosts of this page, with the state of each. */
export function HostsDialog({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) {
  const links = useLinks();
  const [isAdding, setAdding] = useState(false);
  const close = (): void => {
    setAdding(false);
    onClose();
  };
  return (
    <Dialog
      isOpen={isOpen}
      onClose={close}
      title={isAdding ? text.board.addHost : text.board.hosts}
      description={isAdding ? text.board.hostAllows(location.origin) : text.board.hostsExplain}
    >
      {isAdding ? (
        <AddHostForm onDone={() => setAdding(false)} />
      ) : (
        <div className="flex flex-col gap-3">
          <ul className="flex flex-col divide-y divide-line rounded-xl border border-line">
            {links.map((link) => (
              <HostEntry key={link.address.id} link={link} />
            ))}
          </ul>
          <Button onClick={() => setAdding(true)}>
            <Plus className="size-4" aria-hidden />
            {text.board.addHost}
          </Button>
        </div>
      )}
    </Dialog>
  );
}

function HostEntry({ link }: { readonly link: HostLink }) {
  const hosts = useHosts();
  const status = useLinkStatus(link);
  const { id, name, url } = link.address;
  const reason = reasonOf(status);
  // A browser does not tell pages that the other side, or the page's own policy, refused a connection.
  const isUnreached = id !== OWN_HOST && status.state === 'away' && link.client === undefined;
  return (
    <li className="flex items-start gap-3 px-4 py-3 text-sm">
      <span aria-hidden className={classes('mt-1.5 size-2 shrink-0 rounded-full', DOTS[status.state])} />
      <div className="min-w-0 flex-1">
        <p className="truncate font-medium" title={visibleText(name)}>
          <SafeText>{name}</SafeText>
        </p>
        <p className="truncate text-xs text-muted" title={url}>
          {id === OWN_HOST ? text.board.ownHost : <SafeText>{url}</SafeText>}
        </p>
        <p className={classes('text-xs break-words', status.state === 'online' ? 'text-ok' : 'text-warn')}>
          {text.board.hostStates[status.state]}
          {reason !== undefined && `: ${reason}`}
        </p>
        {isUnreached && <p className="mt-1 text-xs text-muted">{text.board.hostAllows(location.origin)}</p>}
      </div>
      {status.state !== 'online' && (
        <Button size="small" look="ghost" onClick={() => link.retryNow()}>
          {text.connection.retryNow}
        </Button>
      )}
      {id !== OWN_HOST && (
        <Button
          size="small"
          look="danger"
          aria-label={text.board.removeHostNamed(visibleText(name))}
          onClick={() => hosts.remove(id)}
        >
          {text.board.removeHost}
        </Button>
      )}
    </li>
  );
}

const DOTS: Readonly<Record<LinkStatus['state'], string>> = {
  connecting: 'bg-warn',
  online: 'bg-ok',
  away: 'bg-warn',
  refused: 'bg-danger',
  incompatible: 'bg-danger',
  replaced: 'bg-warn',
};

const reasonOf = (status: LinkStatus): string | undefined => ('reason' in status ? status.reason : undefined);
