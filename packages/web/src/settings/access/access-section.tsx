import type { AhpClient } from '@agenthost/client';
import type { AccessToken } from '@agenthost/protocol';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { exactTime, useRelativeTime } from '../../board/use-relative-time.ts';
import { type HostLink, messageOf } from '../../live/host-link.ts';
import { useIsAdmin } from '../../live/use-scope.ts';
import { text } from '../../text/text.ts';
import { visibleText } from '../../text/visible-text.ts';
import { Button } from '../../ui/button.tsx';
import { SafeText } from '../../ui/safe-text.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { showError, showToast } from '../../ui/toasts.tsx';
import { AnswerView } from '../answer-view.tsx';
import { ConfirmDialog } from '../confirm-dialog.tsx';
import { Badge, FramedList, Note, Panel } from '../panel.tsx';
import { useHostAnswer } from '../use-host-answer.ts';
import { NewTokenDialog } from './new-token-dialog.tsx';

const askTokens = (client: AhpClient): Promise<AccessToken[]> => client.tokens.list();

/** The access tokens of a host: for people and devices. */
export function AccessSection({ link }: { readonly link: HostLink }) {
  const isAdmin = useIsAdmin(link);
  if (isAdmin) return <Tokens link={link} />;
  return (
    <Panel title={text.settings.tokens} description={text.settings.tokensExplain}>
      <Note>
        {link.isCopy
          ? text.settings.hostAway
          : text.settings.tokensForAdmins(text.settings.rights[link.client?.scope ?? 'observe'])}
      </Note>
    </Panel>
  );
}

function Tokens({ link }: { readonly link: HostLink }) {
  const answer = useHostAnswer(link, askTokens);
  const [isCreating, setCreating] = useState(false);
  return (
    <Panel
      title={text.settings.tokens}
      description={text.settings.tokensExplain}
      actions={
        <Button size="small" look="primary" onClick={() => setCreating(true)}>
          <Plus className="size-4" aria-hidden />
          {text.settings.newToken}
        </Button>
      }
    >
      <AnswerView answer={answer}>
        {(tokens) =>
          tokens.length === 0 ? (
            <EmptyState title={text.settings.noTokensTitle}>{text.settings.noTokens}</EmptyState>
          ) : (
            <FramedList label={text.settings.tokens}>
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
  const name = token.name === undefined ? text.settings.unnamedToken(id) : visibleText(token.name);
  const hasExpired = expiresAt !== undefined && Date.parse(expiresAt) <= Date.now();
  const revoke = async (): Promise<void> => {
    try {
      await link.client?.tokens.revoke(id);
      showToast({ message: text.settings.tokenRevoked(name) });
    } catch (error) {
      showError(text.settings.refused(messageOf(error)));
    }
    await onRevoked();
  };
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
      <div className="min-w-0 flex-1 basis-56">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-sm font-medium">
          <SafeText className="break-words">{name}</SafeText>
          <Badge tone={scope === 'observe' ? 'plain' : scope === 'admin' ? 'warn' : 'accent'}>
            {text.settings.scopes[scope]}
          </Badge>
          {hasExpired && <Badge tone="danger">{text.settings.expired}</Badge>}
        </p>
        <p className="mt-0.5 text-xs text-muted">
          {[
            text.settings.createdAgo(created),
            lastUsedAt === undefined ? text.settings.neverUsed : text.settings.usedAgo(used),
            expiresAt === undefined
              ? text.settings.neverExpires
              : text.settings.expiresAt(exactTime(expiresAt), hasExpired),
          ].join(' · ')}
        </p>
      </div>
      <Button
        size="small"
        look="danger"
        aria-label={text.settings.revokeNamed(visibleText(name))}
        onClick={() => setAsking(true)}
      >
        {text.settings.revoke}
      </Button>
      {isAsking && (
        <ConfirmDialog
          title={text.settings.revokeTitle(name)}
          action={text.settings.revoke}
          onConfirm={() => void revoke()}
          onClose={() => setAsking(false)}
        >
          {text.settings.revokeTokenExplain}
        </ConfirmDialog>
      )}
    </li>
  );
}
