import type { PushDevice } from '@agenthost/protocol';
import { useState } from 'react';
import { type PushSnapshot, pushStore } from '../../attention/push/push-store.ts';
import { exactTime, useRelativeTime } from '../../board/use-relative-time.ts';
import { type HostLink, messageOf } from '../../live/host-link.ts';
import { useIsAdmin } from '../../live/use-scope.ts';
import { settingsText } from '../../text/settings-text.ts';
import { language } from '../../text/text.ts';
import { visibleText } from '../../text/visible-text.ts';
import { Button } from '../../ui/button.tsx';
import { SafeText } from '../../ui/safe-text.tsx';
import { Spinner } from '../../ui/states.tsx';
import { showError, showToast } from '../../ui/toasts.tsx';
import { Badge, FramedList, Note, Panel } from '../panel.tsx';
import { quietText } from './quiet-text.ts';

/** All devices that a host sends notifications to, with the last failure of each. */
export function DeviceList({ link, push }: { readonly link: HostLink; readonly push: PushSnapshot }) {
  const isAdmin = useIsAdmin(link);
  const { devices, own, problem } = push;
  return (
    <Panel
      title={settingsText.devices}
      description={isAdmin ? settingsText.devicesOfAll : settingsText.devicesOfToken}
    >
      {problem !== undefined && <Note tone="danger">{settingsText.askFailed(problem)}</Note>}
      {devices === undefined && problem === undefined && <Spinner />}
      {devices?.length === 0 && <p className="text-sm text-muted">{settingsText.noDevices}</p>}
      {devices !== undefined && devices.length > 0 && (
        <FramedList label={settingsText.devices}>
          {devices.map((device) => (
            <DeviceEntry key={device.id} link={link} device={device} isOwn={device.id === own?.id} />
          ))}
        </FramedList>
      )}
    </Panel>
  );
}

function DeviceEntry({
  link,
  device,
  isOwn,
}: {
  readonly link: HostLink;
  readonly device: PushDevice;
  readonly isOwn: boolean;
}) {
  const { id, device: name, createdAt, lastSentAt, lastFailure, isMine, quietHours } = device;
  const [isBusy, setBusy] = useState(false);
  const added = useRelativeTime(createdAt);
  const sent = useRelativeTime(lastSentAt ?? createdAt);
  const revoke = async (): Promise<void> => {
    setBusy(true);
    try {
      await pushStore(link).revoke(id);
      showToast({ message: settingsText.deviceRevoked(name) });
    } catch (error) {
      showError(settingsText.refused(messageOf(error)));
      setBusy(false);
    }
  };
  const zone = Intl.DateTimeFormat(language).resolvedOptions().timeZone;
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
      <div className="min-w-0 flex-1 basis-56">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-sm font-medium">
          <SafeText className="break-words">{name}</SafeText>
          {isOwn && <Badge tone="accent">{settingsText.thisBrowser}</Badge>}
          {!isMine && <Badge>{settingsText.ofOtherToken}</Badge>}
        </p>
        <p className="mt-0.5 text-xs text-muted">
          {[
            settingsText.addedAgo(added),
            lastSentAt === undefined ? settingsText.nothingSent : settingsText.sentAgo(sent),
            quietHours === undefined ? undefined : quietText(quietHours, zone, language),
          ]
            .filter((part) => part !== undefined)
            .join(' · ')}
        </p>
        {lastFailure !== undefined && (
          <p className="mt-1 text-xs break-words text-danger">
            {settingsText.deliveryFailed(exactTime(lastFailure.at), lastFailure.status)}{' '}
            <SafeText>{lastFailure.reason}</SafeText>
          </p>
        )}
      </div>
      <Button
        size="small"
        look="danger"
        disabled={isBusy}
        aria-label={settingsText.revokeNamed(visibleText(name))}
        onClick={() => void revoke()}
      >
        {settingsText.revoke}
      </Button>
    </li>
  );
}
