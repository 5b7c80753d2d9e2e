import { type ChangesetHandle, ConnectionLost, type LineChoice } from '@agenthost/client';
import type { ChangesetFile, InvokeChangesetOperationResult } from '@agenthost/protocol';
import { messageOf } from '../live/host-link.ts';
import { workspaceText } from '../text/workspace-text.ts';
import { showError, showToast } from '../ui/toasts.tsx';

/** How long the button that undoes a revert shows. Milliseconds. */
const UNDO_MS = 20_000;

/** Runs an operation and tells the person how it ended. Resolves with whether it succeeded. `label` names it. */
export async function runOperation(
  label: string,
  run: () => Promise<InvokeChangesetOperationResult>,
  undo?: () => Promise<InvokeChangesetOperationResult>,
): Promise<boolean> {
  try {
    const { message } = await run();
    const told = message === undefined ? label : typeof message === 'string' ? message : message.markdown;
    showToast({
      message: told,
      ...(undo === undefined
        ? {}
        : {
            lifetimeMs: UNDO_MS,
            action: {
              label: workspaceText.changes.undo,
              run: () => void runOperation(workspaceText.changes.undo, undo),
            },
          }),
    });
    return true;
  } catch (error) {
    // The operation goes on without this client.
    if (error instanceof ConnectionLost) showError(workspaceText.changes.unknown(label));
    else showError(workspaceText.changes.failed(label, messageOf(error)));
    return false;
  }
}

/** What is reverted: everything, a file, or those changes of a file that touch lines. */
export type RevertTarget =
  | { readonly kind: 'all' }
  | { readonly kind: 'file'; readonly file: ChangesetFile }
  | { readonly kind: 'hunk' | 'lines'; readonly file: ChangesetFile; readonly lines: LineChoice };

/** Reverts, and offers to undo it. */
export const revert = (changeset: ChangesetHandle, target: RevertTarget): Promise<boolean> =>
  runOperation(
    workspaceText.changes.confirm,
    () => {
      switch (target.kind) {
        case 'all':
          return changeset.revert();
        case 'file':
          return changeset.revert(target.file);
        case 'hunk':
        case 'lines':
          return changeset.revertLines(target.file, target.lines);
        default:
          return target satisfies never;
      }
    },
    () => changeset.undo(),
  );
