import type { AhpClient } from '@agenthost/client';
import type { RememberedApproval } from '@agenthost/protocol';
import { Link } from '@tanstack/react-router';
import { Folder, MessagesSquare } from 'lucide-react';
import { useAllSessions } from '../../board/all-sessions.ts';
import { hostParam } from '../../board/board-session.ts';
import { titleOf } from '../../board/session-actions.ts';
import type { HostLink } from '../../live/host-link.ts';
import { pathOf } from '../../text/file-path.ts';
import { settingsText } from '../../text/settings-text.ts';
import { SafeText } from '../../ui/safe-text.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { AnswerView } from '../answer-view.tsx';
import { FRAME } from '../panel.tsx';
import { useHostAnswer } from '../use-host-answer.ts';
import { ApprovalEntry } from './approval-entry.tsx';
import { type ApprovalGroup, groupApprovals } from './group-approvals.ts';

const askApprovals = (client: AhpClient): Promise<RememberedApproval[]> => client.approvals();

/** The remembered approvals: tool calls that agents may run without asking. */
export function ApprovalsSection({ link }: { readonly link: HostLink }) {
  const answer = useHostAnswer(link, askApprovals);
  return (
    <>
      <p className="text-sm text-muted">{settingsText.approvalsExplain}</p>
      <AnswerView answer={answer}>
        {(approvals) =>
          approvals.length === 0 ? (
            <EmptyState title={settingsText.noApprovalsTitle}>{settingsText.noApprovals}</EmptyState>
          ) : (
            groupApprovals(approvals).map((group) => (
              <Group key={`${group.kind} ${group.uri}`} link={link} group={group} onRevoked={answer.reload} />
            ))
          )
        }
      </AnswerView>
    </>
  );
}

function Group({
  link,
  group,
  onRevoked,
}: {
  readonly link: HostLink;
  readonly group: ApprovalGroup;
  readonly onRevoked: () => Promise<void>;
}) {
  const { kind, uri, approvals } = group;
  return (
    <section className="flex flex-col gap-2">
      <h3 className="flex min-w-0 items-center gap-2 text-sm font-semibold">
        {kind === 'folder' ? (
          <Folder className="size-4 shrink-0 text-muted" aria-hidden />
        ) : (
          <MessagesSquare className="size-4 shrink-0 text-muted" aria-hidden />
        )}
        {kind === 'folder' ? (
          <span className="min-w-0 break-words">
            {settingsText.inFolder} <SafeText className="font-mono text-xs">{pathOf(uri)}</SafeText>
          </span>
        ) : (
          <SessionName link={link} uri={uri} />
        )}
      </h3>
      <ul className={`${FRAME} flex flex-col divide-y divide-line`}>
        {approvals.map((approval) => (
          <ApprovalEntry key={approval.id} link={link} approval={approval} onRevoked={onRevoked} />
        ))}
      </ul>
    </section>
  );
}

function SessionName({ link, uri }: { readonly link: HostLink; readonly uri: string }) {
  const { sessions } = useAllSessions();
  const session = sessions.find((each) => each.link === link && each.summary.resource === uri);
  return (
    <span className="flex min-w-0 gap-1">
      <span className="shrink-0">{settingsText.inSession}</span>
      <Link
        to="/s/$session"
        params={{ session: uri }}
        search={{ host: hostParam(link) }}
        className="min-w-0 truncate text-accent hover:underline"
      >
        {session === undefined ? settingsText.unknownSession : titleOf(session)}
      </Link>
    </span>
  );
}
