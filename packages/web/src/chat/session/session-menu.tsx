import type { SessionHandle } from '@agenthost/client';
import { SessionStatus, sessionWorktree, type URI } from '@agenthost/protocol';
import { useNavigate } from '@tanstack/react-router';
import {
  Archive,
  Download,
  Ellipsis,
  GitFork,
  Link,
  MessageSquarePlus,
  Pencil,
  Plug,
  Plus,
  Search,
  SlidersHorizontal,
  Trash,
} from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { useMuteEntries } from '../../attention/push/mute-entries.tsx';
import { tellKeptWork, workInWorktree } from '../../board/kept-work.ts';
import type { HostLink } from '../../live/host-link.ts';
import { useSelected } from '../../live/use-live.ts';
import { text } from '../../text/text.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { copyText } from '../../ui/clipboard.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Menu, type MenuEntry } from '../../ui/menu.tsx';
import { showToast } from '../../ui/toasts.tsx';
import { requestFind } from '../find/find-request.ts';
import { reporting, reportOutcome } from '../report-outcome.ts';
import { exportSession } from './export-session.ts';
import { requestRename } from './rename-request.ts';
import { useChatAbilities } from './use-chat-abilities.ts';

const CustomizationsDialog = lazy(async () => ({
  default: (await import('../../customizations/customizations-dialog.tsx')).CustomizationsDialog,
}));
const McpDialog = lazy(async () => ({ default: (await import('../../mcp/mcp-dialog.tsx')).McpDialog }));

interface SessionMenuProps {
  readonly link: HostLink;
  readonly session: SessionHandle;
  readonly mayAct: boolean;
  readonly openChat: (chat: URI) => void;
  readonly openSession: (session: URI) => void;
}

/** The actions of a session. */
export function SessionMenu(props: SessionMenuProps) {
  const { link, session, mayAct } = props;
  const navigate = useNavigate();
  const [isDeleting, setDeleting] = useState(false);
  const [customizing, setCustomizing] = useState<'never' | 'open' | 'closed'>('never');
  const [showsMcp, setShowsMcp] = useState<boolean>();
  const title = useSelected(session.mirror, (state) => state.title);
  const entries = useEntries(props, {
    onDelete: () => setDeleting(true),
    onCustomize: () => setCustomizing('open'),
    onMcp: () => setShowsMcp(true),
  });
  const remove = (): void => {
    setDeleting(false);
    void reporting(text.chat.deleteSession, async () => {
      const hasWorktree = sessionWorktree(session.mirror.state) !== undefined;
      // Asked before, because a deleted session has no worktree any more.
      const work = hasWorktree ? await workInWorktree(link, session.uri) : undefined;
      await link.client?.sessions.dispose(session.uri);
      tellKeptWork(work);
      await navigate({ to: '/' });
    });
  };
  return (
    <>
      <Menu entries={entries}>
        <IconButton label={text.chat.sessionMenu}>
          <Ellipsis className="size-5" aria-hidden />
        </IconButton>
      </Menu>
      {customizing !== 'never' && (
        <Suspense>
          <CustomizationsDialog
            session={session}
            mayAct={mayAct}
            isOpen={customizing === 'open'}
            onClose={() => setCustomizing('closed')}
          />
        </Suspense>
      )}
      {showsMcp !== undefined && (
        <Suspense>
          <McpDialog link={link} session={session} isOpen={showsMcp} onClose={() => setShowsMcp(false)} />
        </Suspense>
      )}
      {mayAct && (
        <Dialog
          isOpen={isDeleting}
          onClose={() => setDeleting(false)}
          title={text.chat.deleteTitle}
          description={text.chat.deleteText(title === '' ? text.chat.untitled : title)}
          footer={
            <>
              <Button onClick={() => setDeleting(false)}>{text.ui.cancel}</Button>
              <Button look="danger" onClick={remove}>
                {text.chat.deleteConfirm}
              </Button>
            </>
          }
        />
      )}
    </>
  );
}

function useEntries(
  { link, session, mayAct, openChat, openSession }: SessionMenuProps,
  {
    onDelete,
    onCustomize,
    onMcp,
  }: { readonly onDelete: () => void; readonly onCustomize: () => void; readonly onMcp: () => void },
): MenuEntry[] {
  const isArchived = useSelected(session.mirror, ({ status }) => (status & SessionStatus.IsArchived) !== 0);
  const abilities = useChatAbilities(link, session);
  const lastTurn = useSelected(session.chat.mirror, ({ turns }) => turns.at(-1)?.id);
  const mute = useMuteEntries(link, session.uri);
  const icon = 'size-4';
  const common: MenuEntry[] = [
    { label: text.chat.find, icon: <Search className={icon} />, keys: 'Ctrl F', onSelect: requestFind },
    {
      label: text.chat.copyLink,
      icon: <Link className={icon} />,
      onSelect: () => void copyText(location.href, text.chat.copiedLink),
    },
    { label: text.chat.customizations, icon: <SlidersHorizontal className={icon} />, onSelect: onCustomize },
    {
      label: text.chat.exportSession,
      icon: <Download className={icon} />,
      onSelect: () => {
        showToast({ message: text.chat.exporting });
        void reporting(text.chat.exportSession, () => exportSession(link, session));
      },
    },
  ];
  common.push(...mute);
  if (!mayAct) return common;
  const because = (label: string, reason: string | undefined): { label: string; isDisabled: boolean } => ({
    label: reason === undefined ? label : `${label} – ${reason}`,
    isDisabled: reason !== undefined,
  });
  return [
    {
      ...because(text.chat.newChat, abilities.noChats),
      icon: <Plus className={icon} />,
      onSelect: () =>
        void reporting(text.chat.newChat, async () => {
          const created = await session.createChat();
          openChat(created.mirror.uri);
          created.dispose();
        }),
    },
    {
      ...because(
        text.chat.sideChat,
        abilities.noSideChat ?? (lastTurn === undefined ? text.chat.emptyTitle : undefined),
      ),
      icon: <MessageSquarePlus className={icon} />,
      onSelect: () =>
        void reporting(text.chat.sideChat, async () => {
          if (lastTurn === undefined) return;
          const side = await session.startSideChat(lastTurn, { chat: session.chat.mirror.uri });
          openChat(side.mirror.uri);
          side.dispose();
        }),
    },
    {
      ...because(text.chat.fork, lastTurn === undefined ? text.chat.emptyTitle : undefined),
      icon: <GitFork className={icon} />,
      onSelect: () =>
        void reporting(text.chat.fork, async () => {
          if (lastTurn === undefined) return;
          const forked = await session.fork(lastTurn);
          openSession(forked.uri);
          forked.dispose();
        }),
    },
    'separator',
    {
      label: text.chat.rename,
      icon: <Pencil className={icon} />,
      // The menu gives the focus back first.
      onSelect: () => setTimeout(requestRename),
    },
    ...common,
    { label: text.chat.mcpServers, icon: <Plug className={icon} />, onSelect: onMcp },
    'separator',
    {
      label: isArchived ? text.chat.unarchive : text.chat.archive,
      icon: <Archive className={icon} />,
      onSelect: () => archive(session, !isArchived),
    },
    {
      label: text.chat.deleteSession,
      icon: <Trash className={icon} />,
      isDangerous: true,
      onSelect: onDelete,
    },
  ];
}

function archive(session: SessionHandle, isArchived: boolean): void {
  void reportOutcome(text.chat.archive, session.setArchived(isArchived));
  if (isArchived)
    showToast({
      message: text.chat.archivedToast,
      action: {
        label: text.ui.undo,
        run: () => void reportOutcome(text.chat.unarchive, session.setArchived(false)),
      },
    });
}
