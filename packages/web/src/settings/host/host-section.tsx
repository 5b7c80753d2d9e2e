import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { pushStore } from '../../attention/push/push-store.ts';
import { HostsDialog } from '../../board/hosts/hosts-dialog.tsx';
import type { HostLink } from '../../live/host-link.ts';
import { OWN_HOST } from '../../live/hosts.ts';
import { useHosts, useLinkStatus, useLinks } from '../../live/use-hosts.ts';
import { useRootPart } from '../../live/use-live.ts';
import { signOut } from '../../sign-in/sign-in-state.ts';
import { settingsText } from '../../text/settings-text.ts';
import { text } from '../../text/text.ts';
import { Button } from '../../ui/button.tsx';
import { classes } from '../../ui/class-names.ts';
import { SafeText } from '../../ui/safe-text.tsx';
import { showError } from '../../ui/toasts.tsx';
import { ConfirmDialog } from '../confirm-dialog.tsx';
import { Facts, FRAME, Panel, SettingRow } from '../panel.tsx';
import { DiskUse } from './disk-use.tsx';
import { HostSettings } from './host-settings.tsx';

/** Facts about a host, its settings, its disk use, and the sign-out. */
export function HostSection({ link }: { readonly link: HostLink }) {
  const config = useRootPart(link, (state) => state.config, undefined);
  return (
    <>
      <HostFacts link={link} />
      {config !== undefined && <HostSettings link={link} config={config} />}
      <DiskUse link={link} />
      <OtherHosts />
      <Leaving link={link} />
    </>
  );
}

function HostFacts({ link }: { readonly link: HostLink }) {
  const status = useLinkStatus(link);
  const { client, address } = link;
  const info = client?.host?.serverInfo;
  const { scope } = client ?? {};
  return (
    <Panel title={settingsText.thisHost}>
      <Facts
        rows={[
          [settingsText.name, <SafeText key="name">{info?.title ?? info?.name ?? address.name}</SafeText>],
          [
            settingsText.version,
            info?.version === undefined ? undefined : <SafeText key="version">{info.version}</SafeText>,
          ],
          [
            settingsText.address,
            <span key="address" dir="ltr">
              {address.url}
            </span>,
          ],
          [
            settingsText.connection,
            `${text.board.hostStates[status.state]}${'reason' in status ? `: ${status.reason}` : ''}`,
          ],
          [settingsText.yourRights, scope === undefined ? undefined : settingsText.rights[scope]],
        ]}
      />
    </Panel>
  );
}

function OtherHosts() {
  const links = useLinks();
  const [isOpen, setOpen] = useState(false);
  return (
    <Panel title={settingsText.otherHosts}>
      <div className={FRAME}>
        <SettingRow label={settingsText.hostCount(links.length)} description={settingsText.otherHostsExplain}>
          <Button size="small" onClick={() => setOpen(true)}>
            {text.board.manageHosts}
          </Button>
        </SettingRow>
      </div>
      <HostsDialog isOpen={isOpen} onClose={() => setOpen(false)} />
    </Panel>
  );
}

/** Signs the browser out of the page's own host, or removes another host from the page. */
function Leaving({ link }: { readonly link: HostLink }) {
  const hosts = useHosts();
  const navigate = useNavigate();
  const [isAsking, setAsking] = useState(false);
  const isOwn = link.address.id === OWN_HOST;
  const label = isOwn ? text.signIn.signOut : settingsText.removeHost;
  const explanation = isOwn ? settingsText.signOutExplain : settingsText.removeHostExplain;
  const leave = async (): Promise<void> => {
    if (isOwn) {
      // A browser that is signed out shows nothing of the host, so it gets no notifications either.
      await pushStore(link)
        .switchOff()
        .catch(() => undefined);
      await signOut(hosts).catch(() => showError(settingsText.signOutFailed));
      return;
    }
    await navigate({ to: '/settings/{-$section}', params: { section: 'host' }, search: {} });
    hosts.remove(link.address.id);
  };
  return (
    <div className={classes(FRAME, 'mt-2')}>
      <SettingRow label={label} description={explanation}>
        <Button size="small" look="danger" onClick={() => setAsking(true)}>
          {label}
        </Button>
      </SettingRow>
      {isAsking && (
        <ConfirmDialog
          title={isOwn ? settingsText.signOutTitle : settingsText.removeHostTitle(link.address.name)}
          action={label}
          onConfirm={() => void leave()}
          onClose={() => setAsking(false)}
        >
          {explanation}
        </ConfirmDialog>
      )}
    </div>
  );
}
