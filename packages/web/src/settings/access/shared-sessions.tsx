import type { AhpClient } from '@agenthost/client';
import type { SessionShare, URI } from '@agenthost/protocol';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { type HostLink, messageOf } from '../../live/host-link.ts';
import { settingsText } from '../../text/settings-text.ts';
import { visibleText } from '../../text/visible-text.ts';
import { Button } from '../../ui/button.tsx';
import { SafeText } from '../../ui/safe-text.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { showError } from '../../ui/toasts.tsx';
import { AnswerView } from '../answer-view.tsx';
import { Badge, FramedList, Panel } from '../panel.tsx';
import { useHostAnswer } from '../use-host-answer.ts';
import { ShareDialog } from './share-dialog.tsx';

/** Most sessions that the dialog offers, the newest ones. */
const MOST_SESSIONS = 500;

interface Shares {
  readonly items: readonly SessionShare[];
  /** Titles by session, the newest session first. */
  readonly titles: ReadonlyMap<URI, string>;
}

async function askShares(client: AhpClient): Promise<Shares> {
  const items = await client.tokens.listRoles();
  const titles = new Map<URI, string>();
  for await (const { resource, title } of client.sessions.list()) {
    titles.set(resource, title === '' ? resource : title);
    if (titles.size === MOST_SESSIONS) break;
  }
  return { items, titles };
}

/** The roles of people in sessions. */
export function SharedSessions({ link }: { readonly link: HostLink }) {
  const answer = useHostAnswer(link, askShares);
  const [isSharing, setSharing] = useState(false);
  return (
    <Panel
      title={settingsText.shares}
      description={settingsText.sharesExplain}
      actions={
        <Button size="small" onClick={() => setSharing(true)} disabled={answer.value === undefined}>
          <Plus className="size-4" aria-hidden />
          {settingsText.share}
        </Button>
      }
    >
      <AnswerView answer={answer}>
        {({ items, titles }) =>
          items.length === 0 ? (
            <EmptyState title={settingsText.noSharesTitle}>{settingsText.noShares}</EmptyState>
          ) : (
            <FramedList label={settingsText.shares}>
              {items.map((share) => (
                <ShareEntry
                  key={`${share.session} ${share.person}`}
                  link={link}
                  share={share}
                  title={titles.get(share.session) ?? share.session}
                  onChanged={answer.reload}
                />
              ))}
            </FramedList>
          )
        }
      </AnswerView>
      {isSharing && answer.value !== undefined && (
        <ShareDialog
          link={link}
          titles={answer.value.titles}
          onShared={() => void answer.reload()}
          onClose={() => setSharing(false)}
        />
      )}
    </Panel>
  );
}

function ShareEntry({
  link,
  share: { session, person, role },
  title,
  onChanged,
}: {
  readonly link: HostLink;
  readonly share: SessionShare;
  readonly title: string;
  readonly onChanged: () => Promise<void>;
}) {
  const end = async (): Promise<void> => {
    try {
      await link.client?.tokens.setRole(session, person);
    } catch (error) {
      showError(settingsText.refused(messageOf(error)));
    }
    await onChanged();
  };
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
      <div className="min-w-0 flex-1 basis-56">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-sm font-medium">
          <SafeText className="break-words">{person}</SafeText>
          <Badge tone={role === 'observe' ? 'plain' : role === 'admin' ? 'warn' : 'accent'}>
            {settingsText.shareRoles[role]}
          </Badge>
        </p>
        <p className="mt-0.5 text-xs break-words text-muted">
          <SafeText>{title}</SafeText>
        </p>
      </div>
      <Button
        size="small"
        look="danger"
        aria-label={settingsText.unshareNamed(visibleText(title), visibleText(person))}
        onClick={() => void end()}
      >
        {settingsText.unshare}
      </Button>
    </li>
  );
}
