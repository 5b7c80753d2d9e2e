import type { ChangesetHandle } from '@agenthost/client';
import type { ChangesetOperation } from '@agenthost/protocol';
import { Ellipsis, Undo2 } from 'lucide-react';
import { useState } from 'react';
import { reportOutcome } from '../chat/report-outcome.ts';
import { ConfirmDialog } from '../settings/confirm-dialog.tsx';
import { visibleText } from '../text/visible-text.ts';
import { workspaceText } from '../text/workspace-text.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { Menu, type MenuEntry } from '../ui/menu.tsx';
import { runOperation } from './run-operation.ts';

interface ChangesMenuProps {
  readonly changeset: ChangesetHandle;
  readonly operations: readonly ChangesetOperation[];
  readonly isReviewable: boolean;
  readonly onRevertAll: () => void;
}

/** The operations on all files of a changeset. */
export function ChangesMenu({ changeset, operations, isReviewable, onRevertAll }: ChangesMenuProps) {
  const [isRestoring, setRestoring] = useState(false);
  const has = (id: string): boolean =>
    operations.some((each) => each.id === id && each.status !== 'running' && each.status !== 'disabled');
  const undo = operations.find(({ id }) => id === 'undo');
  const mark = (reviewed: boolean, label: string) => () =>
    void reportOutcome(label, changeset.markReviewed(changeset.files, reviewed));
  const entries: MenuEntry[] = [
    ...(isReviewable
      ? [
          {
            label: workspaceText.changes.markAllReviewed,
            onSelect: mark(true, workspaceText.changes.markAllReviewed),
          },
          {
            label: workspaceText.changes.markNoneReviewed,
            onSelect: mark(false, workspaceText.changes.markNoneReviewed),
          },
        ]
      : []),
    ...(has('restore') ? [{ label: workspaceText.changes.restore, onSelect: () => setRestoring(true) }] : []),
    ...(has('revert') && changeset.files.length > 0
      ? [
          'separator' as const,
          { label: workspaceText.changes.revertAll, isDangerous: true, onSelect: onRevertAll },
        ]
      : []),
  ];
  return (
    <>
      {undo !== undefined && (
        <Button
          size="small"
          disabled={!has('undo')}
          title={undo.description}
          onClick={() => void runOperation(undo.label, () => changeset.undo())}
        >
          <Undo2 className="size-3.5" aria-hidden />
          {visibleText(undo.label)}
        </Button>
      )}
      {entries.length > 0 && (
        <Menu entries={entries}>
          <IconButton size="small" label={workspaceText.changes.options}>
            <Ellipsis className="size-4" aria-hidden />
          </IconButton>
        </Menu>
      )}
      {isRestoring && (
        <ConfirmDialog
          title={workspaceText.changes.restoreConfirm}
          action={workspaceText.changes.restore}
          onConfirm={() =>
            void runOperation(
              workspaceText.changes.restore,
              () => changeset.restore(),
              () => changeset.undo(),
            )
          }
          onClose={() => setRestoring(false)}
        >
          {workspaceText.changes.restoreText}
        </ConfirmDialog>
      )}
    </>
  );
}
