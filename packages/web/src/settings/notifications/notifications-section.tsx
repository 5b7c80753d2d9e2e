import { usePush } from '../../attention/push/use-push.ts';
import type { HostLink } from '../../live/host-link.ts';
import { OWN_HOST } from '../../live/hosts.ts';
import { settingsText } from '../../text/settings-text.ts';
import { Note } from '../panel.tsx';
import { DeviceList } from './device-list.tsx';
import { DeviceSettings } from './device-settings.tsx';
import { ThisBrowser } from './this-browser.tsx';

/** Notifications of this browser, and the other devices that get them. */
export function NotificationsSection({ link }: { readonly link: HostLink }) {
  const push = usePush(link);
  const isOwnHost = link.address.id === OWN_HOST;
  return (
    <>
      <p className="text-sm text-muted">{settingsText.notificationsExplain}</p>
      {isOwnHost ? (
        <ThisBrowser link={link} push={push} />
      ) : (
        <Note>
          <p>{settingsText.otherHostsPush(link.address.name)}</p>
          <a className="self-start text-accent hover:underline" href={link.address.url} rel="noreferrer">
            {settingsText.openItsPage}
          </a>
        </Note>
      )}
      {push.own !== undefined && <DeviceSettings link={link} device={push.own} />}
      <DeviceList link={link} push={push} />
    </>
  );
}
