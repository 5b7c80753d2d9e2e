import type { ChangesetHandle, ChatHandle } from '@agenthost/client';
import { workspaceText } from '../text/workspace-text.ts';
import { showToast } from '../ui/toasts.tsx';
import { runOperation } from './run-operation.ts';

/** How long the button that undoes a restore shows. Milliseconds. */
const UNDO_MS = 20_000;

/**
 * Takes back what the turns of a chat after `turnId` have changed in files; without it what all its turns have changed. Offers to undo it. Rejects
 * when the files cannot be restored; then none has changed.
 */
export async function restoreFiles(chat: ChatHandle, turnId: string | undefined): Promise<void> {
  const message = await withChangeset(chat, turnId, async (changeset) => {
    if (turnId !== undefined)
      return changeset.operation('restore') === undefined ? undefined : changeset.restore();
    return changeset.files.length === 0 ? undefined : changeset.revert();
  });
  if (message === undefined) return;
  const told = message.message;
  showToast({
    message:
      told === undefined ? workspaceText.changes.restored : typeof told === 'string' ? told : told.markdown,
    lifetimeMs: UNDO_MS,
    action: {
      label: workspaceText.changes.undo,
      run: () =>
        void runOperation(workspaceText.changes.undo, () =>
          withChangeset(chat, turnId, (changeset) => changeset.undo()),
        ),
    },
  });
}

async function withChangeset<T>(
  chat: ChatHandle,
  turnId: string | undefined,
  run: (changeset: ChangesetHandle) => Promise<T>,
): Promise<T> {
  const changes = await chat.changes();
  const changeset = await changes.open(turnId === undefined ? 'session' : { turnId });
  try {
    await changeset.settled();
    if (changeset.error !== undefined) throw new Error(changeset.error.message);
    return await run(changeset);
  } finally {
    changeset.dispose();
  }
}
