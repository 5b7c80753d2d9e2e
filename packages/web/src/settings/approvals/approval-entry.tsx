import type { RememberedApproval } from '@agenthost/protocol';
import { useState } from 'react';
import { exactTime, useRelativeTime } from '../../board/use-relative-time.ts';
import { type HostLink, messageOf } from '../../live/host-link.ts';
import { useRootPart } from '../../live/use-live.ts';
import { useMayAct } from '../../live/use-scope.ts';
import { pathOf } from '../../text/file-path.ts';
import { settingsText } from '../../text/settings-text.ts';
import { visibleText } from '../../text/visible-text.ts';
import { Button } from '../../ui/button.tsx';
import { SafeText } from '../../ui/safe-text.tsx';
import { showError, showToast } from '../../ui/toasts.tsx';
import { ConfirmDialog } from '../confirm-dialog.tsx';
import { Badge } from '../panel.tsx';

/** One remembered approval: its tool, scope and age, and a button that revokes it. */
export function ApprovalEntry({
  link,
  approval,
  onRevoked,
}: {
  readonly link: HostLink;
  readonly approval: RememberedApproval;
  readonly onRevoked: () => Promise<void>;
}) {
  const { id, provider, toolName, covers, label, createdAt } = approval;
  const mayAct = useMayAct(link);
  const since = useRelativeTime(createdAt);
  const agents = useRootPart(link, (state) => state.agents, undefined);
  const [isAsking, setAsking] = useState(false);
  const agent = agents?.find((each) => each.provider === provider)?.displayName ?? provider;
  const revoke = async (): Promise<void> => {
    try {
      await link.client?.revokeApproval(id);
      showToast({ message: settingsText.approvalRevoked });
    } catch (error) {
      showError(settingsText.refused(messageOf(error)));
    }
    await onRevoked();
  };
  return (
    <li className="flex flex-wrap items-start gap-x-4 gap-y-2 px-4 py-3">
      <div className="min-w-0 flex-1 basis-56">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-sm font-medium">
          <SafeText className="break-words">{covers.kind === 'agent' ? label : toolName}</SafeText>
          {covers.kind === 'agent' && <Badge tone="warn">{settingsText.byAgent}</Badge>}
        </p>
        <Coverage covers={covers} />
        <p className="mt-1 text-xs text-faint">
          <SafeText>{agent}</SafeText> ·{' '}
          <time dateTime={createdAt} title={exactTime(createdAt)}>
            {settingsText.allowedAgo(since)}
          </time>
        </p>
      </div>
      {mayAct && (
        <Button
          size="small"
          look="danger"
          aria-label={settingsText.revokeNamed(visibleText(toolName))}
          onClick={() => (covers.kind === 'agent' ? setAsking(true) : void revoke())}
        >
          {settingsText.revoke}
        </Button>
      )}
      {isAsking && (
        <ConfirmDialog
          title={settingsText.revokeTitle(label)}
          action={settingsText.revoke}
          onConfirm={() => void revoke()}
          onClose={() => setAsking(false)}
        >
          {settingsText.revokeAgentsOwn}
        </ConfirmDialog>
      )}
    </li>
  );
}

function Coverage({ covers }: { readonly covers: RememberedApproval['covers'] }) {
  switch (covers.kind) {
    case 'input':
      return (
        <pre className="mt-1 max-h-40 overflow-auto rounded-lg bg-sunken px-2.5 py-1.5 font-mono text-xs whitespace-pre-wrap break-words">
          <SafeText>{covers.isWhole ? covers.input : `${covers.input}…`}</SafeText>
        </pre>
      );
    case 'files':
      return (
        <ul className="mt-1 flex flex-col gap-0.5">
          {covers.files.map((file) => (
            <li key={file} className="font-mono text-xs break-all text-muted">
              <SafeText>{pathOf(file)}</SafeText>
            </li>
          ))}
        </ul>
      );
    case 'tool':
      return <p className="mt-0.5 text-xs text-muted">{settingsText.coversTool}</p>;
    case 'agent':
      return <p className="mt-0.5 text-xs text-muted">{settingsText.coversAgent}</p>;
    default:
      return covers satisfies never;
  }
}
