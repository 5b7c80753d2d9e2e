import type { URI } from '@agenthost/protocol';
import { PenLine } from 'lucide-react';
import type { HostLink } from '../live/host-link.ts';
import { clientName } from '../presence/client-name.ts';
import { usePresence } from '../presence/use-presence.ts';
import { text } from '../text/text.ts';
import { Button } from '../ui/button.tsx';
import { SafeText } from '../ui/safe-text.tsx';
import type { ChatDraft } from './draft/chat-draft.ts';

/** Offers the draft that another person writes in the same chat. */
export function DraftOffer({
  link,
  chat,
  draft,
}: {
  readonly link: HostLink;
  readonly chat: URI;
  readonly draft: ChatDraft;
}) {
  const own = link.client?.clientId;
  const writer = usePresence(link).find(
    ({ clientId, typing }) => clientId !== own && typing?.chat === chat && typing.requestId === undefined,
  );
  const { offer } = draft;
  if (offer === undefined) return null;
  const name = writer === undefined ? text.composer.somebody : clientName(writer, own);
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 rounded-xl border border-line bg-sunken py-1.5 ps-3 pe-1.5 text-sm">
      <PenLine className="size-4 shrink-0 text-muted" aria-hidden />
      <p className="min-w-0 flex-1 basis-48 truncate">
        <span className="text-muted">{text.composer.otherDraft(name)}</span>{' '}
        <SafeText>{offer.text.slice(0, 200)}</SafeText>
      </p>
      <span className="flex gap-1">
        <Button size="small" onClick={() => draft.useOffer()}>
          {text.composer.useDraft}
        </Button>
        <Button size="small" look="ghost" onClick={() => draft.dismissOffer()}>
          {text.composer.keepMine}
        </Button>
      </span>
    </div>
  );
}
