import type { URI } from '@agenthost/protocol';
import { Bell, BellOff } from 'lucide-react';
import type { HostLink } from '../../live/host-link.ts';
import { text } from '../../text/text.ts';
import type { MenuEntry } from '../../ui/menu.tsx';
import { type Mute, muteOf, useMute } from './use-push.ts';

/** The entry of a session's menu that mutes its notifications in this browser, as known now; none while notifications are off. */
export const muteEntries = (link: HostLink, session: URI): readonly MenuEntry[] =>
  entriesOf(muteOf(link, session));

/** As {@link muteEntries}; renders again when the session is muted or unmuted. */
export const useMuteEntries = (link: HostLink, session: URI): readonly MenuEntry[] =>
  entriesOf(useMute(link, session));

function entriesOf({ isPossible, isMuted, toggle }: Mute): readonly MenuEntry[] {
  if (!isPossible) return [];
  const Icon = isMuted ? Bell : BellOff;
  return [
    {
      label: isMuted ? text.attention.unmute : text.attention.mute,
      icon: <Icon className="size-4" aria-hidden />,
      onSelect: toggle,
    },
  ];
}
