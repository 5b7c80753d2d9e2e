import { useRouter } from '@tanstack/react-router';
import { useEffect, useMemo } from 'react';
import { useAllSessions } from '../board/all-sessions.ts';
import { extendSessionMenu } from '../board/session-menu.tsx';
import type { HostLink } from '../live/host-link.ts';
import { OWN_HOST } from '../live/hosts.ts';
import { useLink, useLinks } from '../live/use-hosts.ts';
import { usePresentHere } from '../presence/use-presence.ts';
import { askingSessions } from './asking-sessions.ts';
import { followUpdates } from './follow-updates.ts';
import { muteEntries } from './push/mute-entries.tsx';
import { usePush } from './push/use-push.ts';
import { useAskToasts } from './use-ask-toasts.ts';
import { useBadges } from './use-badges.ts';
import { followWorker } from './worker-messages.ts';

/** Draws attention to sessions that wait, and follows notifications. Renders nothing visible. Used once, by the frame of the page. */
export function Attention() {
  const links = useLinks();
  const own = useLink(OWN_HOST);
  const router = useRouter();
  usePush(own);
  useEffect(() => followWorker((path) => router.history.push(path)), [router]);
  useEffect(() => followUpdates(own), [own]);
  useEffect(() => extendSessionMenu(({ link, summary }) => muteEntries(link, summary.resource)), []);
  return (
    <>
      <WaitingSessions />
      {links.map((link) => (
        <PresentPage key={link.address.id} link={link} />
      ))}
    </>
  );
}

function WaitingSessions() {
  const { sessions, isComplete } = useAllSessions();
  const asking = useMemo(() => askingSessions(sessions), [sessions]);
  useBadges(asking.length);
  useAskToasts(asking, isComplete);
  return null;
}

const NOTHING_SHOWN = { showing: [] } as const;

/** Tells a host that the page is connected, also in views without a session. */
function PresentPage({ link }: { readonly link: HostLink }) {
  usePresentHere(link, NOTHING_SHOWN);
  return null;
}
