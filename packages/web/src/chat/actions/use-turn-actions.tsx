import type { ResponsePart, SideChatSelection } from '@agenthost/protocol';
import {
  Copy,
  FileDiff,
  GitBranch,
  GitFork,
  Link,
  MessageSquarePlus,
  RotateCcw,
  Scissors,
} from 'lucide-react';
import { useSelected } from '../../live/use-live.ts';
import { text } from '../../text/text.ts';
import { workspaceText } from '../../text/workspace-text.ts';
import { copyText } from '../../ui/clipboard.ts';
import type { MenuEntry } from '../../ui/menu.tsx';
import { showToast } from '../../ui/toasts.tsx';
import { type ChatScope, useChatScope } from '../chat-scope.tsx';
import { reporting, reportOutcome } from '../report-outcome.ts';
import { turnOf } from '../transcript/rows.ts';
import { restoreFilesOf } from './restore-choice.tsx';
import { useShowTurnChanges } from './use-show-turn-changes.ts';

/** The actions of one turn. */
export interface TurnActions {
  /** Absent: the turn has no text. */
  copyAnswer: () => void;
  resend: () => void;
  /** Whether no later turn would be removed by `resend`. */
  readonly isLast: boolean;
  /** Removes later turns. `isRestoring`: takes back first what they changed in files; when that fails, nothing is removed. */
  truncate: (isRestoring: boolean) => void;
  fork: () => void;
  forkChat: () => void;
  sideChat: () => void;
  copyLink: () => void;
  showChanges: () => void;
  /** Whether the host records changes of turns. */
  readonly hasChanges: boolean;
  /** Why the chat cannot be forked, or get a side chat. Absent: it can. */
  readonly noFork: string | undefined;
  readonly noSideChat: string | undefined;
}

/** The actions of a turn. */
export function useTurnActions(turnId: string): TurnActions {
  const scope = useChatScope();
  const isLast = useSelected(
    scope.chat.mirror,
    ({ turns, activeTurn }) => (activeTurn ?? turns.at(-1))?.id === turnId,
  );
  const hasChanges = useSelected(
    scope.chat.mirror,
    ({ changesets }) => changesets?.some(({ changeKind }) => changeKind === 'turn') === true,
  );
  const showChanges = useShowTurnChanges(turnId);
  return { ...turnActions(scope, turnId), isLast, hasChanges, showChanges };
}

function turnActions(
  scope: ChatScope,
  turnId: string,
): Omit<TurnActions, 'isLast' | 'hasChanges' | 'showChanges'> {
  const { chat, session, agent, openChat, openSession } = scope;
  const name = agent?.displayName ?? session.mirror.state.provider;
  const capability = agent?.capabilities?.multipleChats;
  const chatUri = chat.mirror.uri;
  return {
    copyAnswer: () => void copyText(answerOf(scope, turnId)),
    resend: () => void reporting(text.chat.resend, () => chat.resend(turnId)),
    truncate: (isRestoring) =>
      void reportOutcome(
        text.chat.truncateAfter,
        (isRestoring ? restoreFilesOf(chat, turnId) : Promise.resolve()).then(() => chat.truncate(turnId)),
      ),
    copyLink: () => {
      const url = new URL(location.href);
      url.searchParams.set('turn', turnId);
      url.searchParams.set('chat', chatUri);
      void copyText(url.href, text.chat.copiedLink);
    },
    fork: () =>
      void reporting(text.chat.fork, async () => {
        const forked = await session.fork(turnId);
        const { uri } = forked;
        forked.dispose();
        showToast({ message: text.chat.forked });
        openSession(uri);
      }),
    forkChat: () =>
      void reporting(text.chat.forkChat, async () => {
        const forked = await session.forkChat(turnId, { chat: chatUri });
        openChat(forked.mirror.uri);
        forked.dispose();
      }),
    sideChat: () =>
      void reporting(text.chat.sideChat, async () => {
        const selection = selectionIn(turnId);
        const side = await session.startSideChat(turnId, {
          chat: chatUri,
          ...(selection === undefined ? {} : { selection }),
        });
        openChat(side.mirror.uri);
        side.dispose();
      }),
    noFork: capability?.fork === true ? undefined : text.chat.needsForkCapability(name),
    noSideChat: capability?.sideChat === true ? undefined : text.chat.needsSideChatCapability(name),
  };
}

/** The text that a person selected inside the turn. */
function selectionIn(turnId: string): SideChatSelection | undefined {
  const selection = getSelection();
  const selected = selection?.toString().trim() ?? '';
  const { anchorNode = null } = selection ?? {};
  const element = anchorNode instanceof Element ? anchorNode : anchorNode?.parentElement;
  const turn = element?.closest('[data-turn]')?.getAttribute('data-turn');
  return selected === '' || turn !== turnId ? undefined : { text: selected };
}

/** The text of a turn's answer. */
export function answerOf({ chat }: Pick<ChatScope, 'chat'>, turnId: string): string {
  const parts: readonly ResponsePart[] = turnOf(chat.mirror.state, turnId)?.responseParts ?? [];
  return parts
    .flatMap((part) => (part.kind === 'markdown' ? [part.content.trim()] : []))
    .filter((content) => content !== '')
    .join('\n\n');
}

/** The menu of a turn. `isEnded`: forks need an ended turn. */
export function turnMenu(
  actions: TurnActions,
  { isEnded, mayAct, onTruncate }: { isEnded: boolean; mayAct: boolean; onTruncate: () => void },
): MenuEntry[] {
  const icon = 'size-4';
  const disabledBy = (reason: string | undefined): string | undefined =>
    reason ?? (isEnded ? undefined : text.chat.needsCompleteTurn);
  const entry = (
    label: string,
    Icon: typeof Copy,
    run: () => void,
    reason?: string,
  ): Exclude<MenuEntry, 'separator'> => ({
    label: reason === undefined ? label : `${label} – ${reason}`,
    icon: <Icon className={icon} aria-hidden />,
    onSelect: run,
    isDisabled: reason !== undefined,
  });
  const shown: MenuEntry[] = [
    entry(text.chat.copyAnswer, Copy, actions.copyAnswer),
    entry(text.chat.copyTurnLink, Link, actions.copyLink),
    ...(actions.hasChanges ? [entry(workspaceText.changes.ofTurn, FileDiff, actions.showChanges)] : []),
  ];
  if (!mayAct) return shown;
  return [
    ...shown,
    'separator',
    // Editing an earlier message says that later ones are removed.
    ...(actions.isLast ? [entry(text.chat.resend, RotateCcw, actions.resend)] : []),
    entry(text.chat.fork, GitFork, actions.fork, disabledBy(undefined)),
    entry(text.chat.forkChat, GitBranch, actions.forkChat, disabledBy(actions.noFork)),
    entry(text.chat.sideChat, MessageSquarePlus, actions.sideChat, actions.noSideChat),
    'separator',
    { ...entry(text.chat.truncateAfter, Scissors, onTruncate), isDangerous: true },
  ];
}
