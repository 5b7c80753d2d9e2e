import type { PushDevice, PushEvents } from '@agenthost/protocol';
import { Link } from '@tanstack/react-router';
import { pushStore } from '../../attention/push/push-store.ts';
import { useAllSessions } from '../../board/all-sessions.ts';
import { hostParam } from '../../board/board-session.ts';
import { titleOf } from '../../board/session-actions.ts';
import { type HostLink, messageOf } from '../../live/host-link.ts';
import { settingsText } from '../../text/settings-text.ts';
import { text } from '../../text/text.ts';
import { Button } from '../../ui/button.tsx';
import { classes } from '../../ui/class-names.ts';
import { Switch } from '../../ui/field.tsx';
import { showError } from '../../ui/toasts.tsx';
import { FRAME, FramedList, Panel, SettingRow } from '../panel.tsx';
import type { DeviceChange } from './device-change.ts';
import { QuietHoursRow } from './quiet-hours-row.tsx';

/** The events for which this browser gets notifications, quiet hours, and muted sessions. */
export function DeviceSettings({ link, device }: { readonly link: HostLink; readonly device: PushDevice }) {
  const { events, mutedSessions } = device;
  const update = (change: DeviceChange): void => {
    pushStore(link)
      .update(device.id, change)
      .catch((error: unknown) => showError(text.attention.muteFailed(messageOf(error))));
  };
  const eventRow = (name: keyof PushEvents) => (
    <SettingRow label={settingsText.events[name]} description={settingsText.eventsExplain[name]}>
      <Switch
        aria-label={settingsText.events[name]}
        isOn={events[name]}
        onChange={(isOn) => update({ events: { ...events, [name]: isOn } })}
      />
    </SettingRow>
  );
  return (
    <>
      <Panel title={settingsText.whatFor}>
        <div className={classes(FRAME, 'divide-y divide-line')}>
          {eventRow('inputNeeded')}
          {eventRow('turnEnded')}
          <QuietHoursRow quietHours={device.quietHours} onChange={update} />
        </div>
      </Panel>
      <Panel title={settingsText.muted} description={settingsText.mutedExplain}>
        {mutedSessions.length > 0 && (
          <FramedList label={settingsText.muted}>
            {mutedSessions.map((uri) => (
              <MutedSession
                key={uri}
                link={link}
                uri={uri}
                onUnmute={() => update({ mutedSessions: mutedSessions.filter((each) => each !== uri) })}
              />
            ))}
          </FramedList>
        )}
      </Panel>
    </>
  );
}

function MutedSession({
  link,
  uri,
  onUnmute,
}: {
  readonly link: HostLink;
  readonly uri: string;
  readonly onUnmute: () => void;
}) {
  const { sessions } = useAllSessions();
  const session = sessions.find((each) => each.link === link && each.summary.resource === uri);
  const title = session === undefined ? settingsText.unknownSession : titleOf(session);
  return (
    <li className="flex items-center gap-3 px-4 py-2 text-sm">
      <Link
        to="/s/$session"
        params={{ session: uri }}
        search={{ host: hostParam(link) }}
        title={title}
        className="min-w-0 flex-1 truncate hover:underline"
      >
        {title}
      </Link>
      <Button size="small" aria-label={settingsText.unmuteNamed(title)} onClick={onUnmute}>
        {settingsText.unmute}
      </Button>
    </li>
  );
}
