import type { ChatHandle, SessionHandle } from '@agenthost/client';
import type { URI } from '@agenthost/protocol';
import {
  FileDiff,
  FolderTree,
  type LucideIcon,
  MessageSquare,
  PanelRightClose,
  PanelRightOpen,
  X,
} from 'lucide-react';
import { type ReactNode, useMemo, useRef, useState } from 'react';
import { ChangesPanel } from '../changes/changes-panel.tsx';
import { OpenedStates } from '../chat/opened-states.tsx';
import { type CommentScope, CommentScopeProvider } from '../comments/comment-scope.tsx';
import { CommentsPanel } from '../comments/comments-panel.tsx';
import { SendDialog } from '../comments/send-dialog.tsx';
import { useAllAnnotations, useAnnotations } from '../comments/use-annotations.ts';
import { FilesPanel } from '../files/files-panel.tsx';
import type { HostLink } from '../live/host-link.ts';
import { useSetting } from '../live/setting.ts';
import { useChat, useSelected } from '../live/use-live.ts';
import { useMayAct, useMayActIn } from '../live/use-scope.ts';
import { workspaceText } from '../text/workspace-text.ts';
import { IconButton } from '../ui/button.tsx';
import { classes } from '../ui/class-names.ts';
import { CLOSED_PANEL, type PanelName } from './panel-address.ts';
import { usePanel } from './use-panel.ts';
import { useWidth } from './use-width.ts';
import { wideSetting } from './wide-setting.ts';

interface WorkspacePanelProps {
  readonly link: HostLink;
  readonly session: SessionHandle;
  /** The shown chat. */
  readonly chat: URI;
  readonly panel: PanelName;
}

/** Changes, files and comments of a session. Beside the chat on a wide screen, in its place on a narrow one. */
export function WorkspacePanel(props: WorkspacePanelProps) {
  const { link, session, chat } = props;
  if (chat === session.chat.mirror.uri) return <OpenWorkspace {...props} openChat={session.chat} />;
  return <OtherWorkspace {...props} link={link} />;
}

function OtherWorkspace(props: WorkspacePanelProps) {
  const opened = useChat(props.link, props.session, props.chat);
  return (
    <OpenedStates opened={opened}>{(chat) => <OpenWorkspace {...props} openChat={chat} />}</OpenedStates>
  );
}

function OpenWorkspace({
  link,
  session,
  panel,
  openChat: chat,
}: WorkspacePanelProps & { readonly openChat: ChatHandle }) {
  const { show } = usePanel();
  const frame = useRef<HTMLDivElement>(null);
  const widthPx = useWidth(frame);
  const mayAct = useMayActIn(link, session.uri);
  // A role in the session attaches no comments.
  const maySend = useMayAct(link);
  const opened = useAnnotations(link, session);
  const annotations = opened.state === 'open' ? opened.value : undefined;
  const all = useAllAnnotations(annotations);
  const [sent, setSent] = useState<readonly string[] | undefined>(undefined);
  const root = useSelected(session.mirror, (state) => state.workingDirectories?.[0]);
  const scope = useMemo<CommentScope>(
    () => ({ link, chat, annotations, all, mayAct, send: maySend ? setSent : undefined }),
    [link, chat, annotations, all, mayAct, maySend],
  );
  const openCount = all.filter(({ resolved }) => !resolved).length;
  return (
    <CommentScopeProvider value={scope}>
      <section
        ref={frame}
        aria-label={workspaceText.changes.panel}
        className="flex min-h-0 min-w-0 flex-1 flex-col bg-surface"
      >
        <Tabs panel={panel} openCount={openCount} />
        {panel === 'changes' && (
          <ChangesPanel
            link={link}
            session={session}
            chat={chat}
            mayAct={mayAct}
            root={root}
            widthPx={widthPx}
          />
        )}
        {panel === 'files' && <FilesPanel link={link} session={session} widthPx={widthPx} />}
        {panel === 'comments' && (
          <CommentsPanel
            root={root}
            onOpen={(file, line) => show({ panel: 'files', file, line: line?.toString() })}
          />
        )}
      </section>
      {sent !== undefined && annotations !== undefined && (
        <SendDialog chat={chat} annotations={annotations} ids={sent} onClose={() => setSent(undefined)} />
      )}
    </CommentScopeProvider>
  );
}

function Tabs({ panel, openCount }: { readonly panel: PanelName; readonly openCount: number }) {
  const { show } = usePanel();
  const [isAlone, setAlone] = useSetting(wideSetting);
  return (
    <nav
      aria-label={workspaceText.changes.tabs}
      className="flex min-h-11 items-center gap-1 border-b border-line px-2"
    >
      <Tab name="changes" panel={panel} icon={FileDiff}>
        {workspaceText.changes.tab}
      </Tab>
      <Tab name="files" panel={panel} icon={FolderTree}>
        {workspaceText.files.tab}
      </Tab>
      <Tab name="comments" panel={panel} icon={MessageSquare}>
        {workspaceText.comments.tab}
        {openCount > 0 && (
          <span className="min-w-4 rounded-full bg-accent px-1 text-center text-[0.6875rem] leading-4 text-on-accent">
            {openCount}
          </span>
        )}
      </Tab>
      <span className="ms-auto flex">
        <IconButton
          size="small"
          className="max-lg:hidden"
          label={isAlone ? workspaceText.changes.narrow : workspaceText.changes.widen}
          aria-pressed={isAlone}
          onClick={() => setAlone(!isAlone)}
        >
          {isAlone ? (
            <PanelRightClose className="size-4 rtl:-scale-x-100" aria-hidden />
          ) : (
            <PanelRightOpen className="size-4 rtl:-scale-x-100" aria-hidden />
          )}
        </IconButton>
        <IconButton size="small" label={workspaceText.changes.close} onClick={() => show(CLOSED_PANEL)}>
          <X className="size-4" aria-hidden />
        </IconButton>
      </span>
    </nav>
  );
}

interface TabProps {
  readonly name: PanelName;
  readonly panel: PanelName;
  readonly icon: LucideIcon;
  readonly children: ReactNode;
}

function Tab({ name, panel, icon: Icon, children }: TabProps) {
  const { show } = usePanel();
  const isShown = name === panel;
  return (
    <button
      type="button"
      aria-current={isShown ? 'page' : undefined}
      className={classes(
        'flex h-8 items-center gap-1.5 rounded-lg px-2.5 text-sm max-sm:px-2 touch:h-11',
        isShown ? 'bg-hover' : 'text-muted hover:bg-hover hover:text-text',
      )}
      onClick={() => show({ panel: name, file: undefined, line: undefined })}
    >
      <Icon className="size-3.5" aria-hidden />
      {children}
    </button>
  );
}
