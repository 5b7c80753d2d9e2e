import type { AhpClient } from '@agenthost/client';
import type { AccessToken } from '@agenthost/protocol';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { exactTime, useRelativeTime } from '../../board/use-relative-time.ts';
import { type HostLink, messageOf } from '../../live/host-link.ts';
import { useIsAdmin } from '../../live/use-scope.ts';
import { settingsText } from '../../text/settings-text.ts';
import { visibleText } from '../../text/visible-text.ts';
import { Button } from '../../ui/button.tsx';
import { SafeText } from '../../ui/safe-text.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { showError, showToast } from '../../ui/toasts.tsx';
import { AnswerView } from '../answer-view.tsx';
import { ConfirmDialog } from '../confirm-dialog.tsx';
import { Badge, FramedList, Note, Panel } from '../panel.tsx';
import { useHostAnswer } from '../use-host-answer.ts';
import { GrantedAccess } from './granted-access.tsx';
import { NewTokenDialog } from './new-token-dialog.tsx';
import { SharedSessions } from './shared-sessions.tsx';

const askTokens = (client: AhpClient): Promise<AccessToken[]> => client.tokens.list();

/** The access tokens of a host, for people and devices, and the access to other files that clients have. */
export function AccessSection({ link }: { readonly link: HostLink }) {
  const isAdmin = useIsAdmin(link);
  if (isAdmin)
    return (
      <>
        <Tokens link={link} />
        <SharedSessions link={link} />
        <GrantedAccess link={link} />
      </>
    );
  return (
    <Panel title={settingsText.tokens} description={settingsText.tokensExplain}>
      <Note>
        {link.isCopy
          ? settingsText.hostAway
          : settingsText.tokensForAdmins(settingsText.rights[link.client?.scope ?? 'observe'])}
      </Note>
    </Panel>
  );
}

function Tokens({ link }: { readonly link: HostLink }) {
  const answer = useHostAnswer(link, askTokens);
  const [isCreating, setCreating] = useState(false);
  return (
    <Panel
      title={settingsText.tokens}
      description={settingsText.tokensExplain}
      actions={
        <Button size="small" look="primary" onClick={() => setCreating(true)}>
          <Plus className="size-4" aria-hidden />
          {settingsText.newToken}
        </Button>
      }
    >
      <AnswerView answer={answer}>
        {(tokens) =>
          tokens.length === 0 ? (
            <EmptyState title={settingsText.noTokensTitle}>{settingsText.noTokens}</EmptyState>
          ) : (
            <FramedList label={settingsText.tokens}>
              {tokens.toReversed().map((token) => (
                <TokenEntry key={token.id} link={link} token={token} onRevoked={answer.reload} />
              ))}
            </FramedList>
          )
        }
      </AnswerView>
      {isCreating && (
        <NewTokenDialog
          link={link}
          onCreated={() => void answer.reload()}
          onClose={() => setCreating(false)}
        />
      )}
    </Panel>
  );
}

function TokenEntry({
  link,
  token,
  onRevoked,
}: {
  readonly link: HostLink;
  readonly token: AccessToken;
  readonly onRevoked: () => Promise<void>;
}) {
  const { id, scope, createdAt, lastUsedAt, expiresAt } = token;
  const [isAsking, setAsking] = useState(false);
  const created = useRelativeTime(createdAt);
  const used = useRelativeTime(lastUsedAt ?? createdAt);
  const name = token.name === undefined ? settingsText.unnamedToken(id) : visibleText(token.name);
  const hasExpired = expiresAt !== undefined && Date.parse(expiresAt) <= Date.now();
  const revoke = async (): Promise<void> => {
    try {
      await link.client?.tokens.revoke(id);
      showToast({ message: settingsText.tokenRevoked(name) });
    } catch (error) {
      showError(settingsText.refused(messageOf(error)));
    }
    await onRevoked();
  };
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
      <div className="min-w-0 flex-1 basis-56">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-sm font-medium">
          <SafeText className="break-words">{name}</SafeText>
          {token.person !== undefined && (
            <SafeText className="font-normal break-words text-muted">{token.person}</SafeText>
          )}
          <Badge tone={scope === 'observe' ? 'plain' : scope === 'admin' ? 'warn' : 'accent'}>
            {settingsText.scopes[scope]}
          </Badge>
          {hasExpired && <Badge tone="danger">{settingsText.expired}</Badge>}
        </p>
        <p className="mt-0.5 text-xs text-muted">
          {[
            settingsText.createdAgo(created),
            lastUsedAt === undefined ? settingsText.neverUsed : settingsText.usedAgo(used),
            expiresAt === undefined
              ? settingsText.neverExpires
              : settingsText.expiresAt(exactTime(expiresAt), hasExpired),
          ].join(' · ')}
        </p>
      </div>
      <Button
        size="small"
        look="danger"
        aria-label={settingsText.revokeNamed(visibleText(name))}
        onClick={() => setAsking(true)}
      >
        {settingsText.revoke}
      </Button>
      {isAsking && (
        <ConfirmDialog
          title={settingsText.revokeTitle(name)}
          action={settingsText.revoke}
          onConfirm={() => void revoke()}
          onClose={() => setAsking(false)}
        >
          {settingsText.revokeTokenExplain}
        </ConfirmDialog>
      )}
    </li>
  );
}
