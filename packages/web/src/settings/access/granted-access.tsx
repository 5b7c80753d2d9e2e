import type { AccessGrant, AccessRequest } from '@agenthost/protocol';
import type { ReactNode } from 'react';
import { exactTime, useRelativeTime } from '../../board/use-relative-time.ts';
import { answerRequest } from '../../grants/answer-request.ts';
import { useGrants } from '../../grants/use-grants.ts';
import { type HostLink, messageOf } from '../../live/host-link.ts';
import { pathOf } from '../../text/file-path.ts';
import { settingsText } from '../../text/settings-text.ts';
import { visibleText } from '../../text/visible-text.ts';
import { Button } from '../../ui/button.tsx';
import { SafeText } from '../../ui/safe-text.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { showError, showToast } from '../../ui/toasts.tsx';
import { AnswerView } from '../answer-view.tsx';
import { Badge, FramedList, Panel } from '../panel.tsx';

/** The access to files outside of working directories that clients have or ask for. */
export function GrantedAccess({ link }: { readonly link: HostLink }) {
  const answer = useGrants(link);
  return (
    <Panel title={settingsText.fileAccess} description={settingsText.fileAccessExplain}>
      <AnswerView answer={answer}>
        {({ items, requests }) =>
          items.length + requests.length === 0 ? (
            <EmptyState title={settingsText.noFileAccessTitle}>{settingsText.noFileAccess}</EmptyState>
          ) : (
            <FramedList label={settingsText.fileAccess}>
              {requests.map((request) => (
                <RequestEntry key={request.id} link={link} request={request} />
              ))}
              {items.toReversed().map((grant) => (
                <GrantEntry key={grant.id} link={link} grant={grant} onRevoked={answer.reload} />
              ))}
            </FramedList>
          )
        }
      </AnswerView>
    </Panel>
  );
}

function Entry({
  entry,
  note,
  badge,
  children,
}: {
  readonly entry: AccessGrant | AccessRequest;
  readonly note: string;
  readonly badge?: ReactNode;
  readonly children: ReactNode;
}) {
  const { clientId, createdAt, uri } = entry;
  const clientName = 'clientName' in entry ? entry.clientName : undefined;
  const since = useRelativeTime(createdAt);
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
      <div className="min-w-0 flex-1 basis-56">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-sm font-medium">
          <SafeText className="font-mono break-all">{pathOf(uri)}</SafeText>
          <Badge tone={entry.write ? 'warn' : 'plain'}>{settingsText.accessOf(entry)}</Badge>
          {badge}
        </p>
        <p className="mt-0.5 text-xs text-muted">
          <SafeText>
            {clientName === undefined ? settingsText.unnamedClient(clientId) : visibleText(clientName)}
          </SafeText>
          {' · '}
          <time dateTime={createdAt} title={exactTime(createdAt)}>
            {note} {since}
          </time>
        </p>
      </div>
      <div className="flex gap-2">{children}</div>
    </li>
  );
}

function RequestEntry({ link, request }: { readonly link: HostLink; readonly request: AccessRequest }) {
  return (
    <Entry
      entry={request}
      note={settingsText.asked}
      badge={<Badge tone="accent">{settingsText.waits}</Badge>}
    >
      <Button size="small" look="primary" onClick={() => void answerRequest(link, request.id, true)}>
        {settingsText.allow}
      </Button>
      <Button size="small" onClick={() => void answerRequest(link, request.id, false)}>
        {settingsText.deny}
      </Button>
    </Entry>
  );
}

function GrantEntry({
  link,
  grant,
  onRevoked,
}: {
  readonly link: HostLink;
  readonly grant: AccessGrant;
  readonly onRevoked: () => Promise<void>;
}) {
  const path = visibleText(pathOf(grant.uri));
  const revoke = async (): Promise<void> => {
    try {
      await link.client?.grants.revoke(grant.id);
      showToast({ message: settingsText.accessRevoked(path) });
    } catch (error) {
      showError(settingsText.refused(messageOf(error)));
    }
    await onRevoked();
  };
  return (
    <Entry entry={grant} note={settingsText.granted}>
      <Button
        size="small"
        look="danger"
        aria-label={settingsText.revokeNamed(path)}
        onClick={() => void revoke()}
      >
        {settingsText.revoke}
      </Button>
    </Entry>
  );
}
