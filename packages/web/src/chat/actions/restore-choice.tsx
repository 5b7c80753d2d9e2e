import type { ChatHandle } from '@agenthost/client';
import { useSelected } from '../../live/use-live.ts';
import { workspaceText } from '../../text/workspace-text.ts';
import { useChatScope } from '../chat-scope.tsx';

/** Whether to restore files with a removal of turns. Shown when the host has recorded changes of the chat. */
export function RestoreChoice({
  isChosen,
  onChange,
}: {
  readonly isChosen: boolean;
  readonly onChange: (isChosen: boolean) => void;
}) {
  const { session, chat } = useChatScope();
  const isRecorded = useSelected(
    chat.mirror,
    ({ changesets }) => changesets?.some(({ changeKind }) => changeKind === 'turn') === true,
  );
  // The catalogue of the session has the counts; the state of the chat has those of its last snapshot.
  const fileCount = useSelected(
    session.mirror,
    ({ chats }) => chats.find(({ resource }) => resource === chat.mirror.uri)?.changes?.files ?? 0,
  );
  const isOffered = isRecorded && fileCount > 0;
  if (!isOffered) return undefined;
  return (
    <label className="flex min-h-8 items-center gap-2 text-sm touch:min-h-11">
      <input
        type="checkbox"
        className="size-4 shrink-0 accent-(--c-accent)"
        checked={isChosen}
        onChange={({ target }) => onChange(target.checked)}
      />
      {workspaceText.changes.alsoRestore}
    </label>
  );
}

/** Takes back what turns after `turnId` changed; see `restoreFiles`. The code is loaded when it is needed. */
export async function restoreFilesOf(chat: ChatHandle, turnId: string | undefined): Promise<void> {
  const { restoreFiles } = await import('../../changes/restore-files.ts');
  await restoreFiles(chat, turnId);
}
