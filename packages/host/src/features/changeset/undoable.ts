import type { ChangeRecord } from '../../workspace/snapshots/records.ts';
import type { TreeChange } from '../../workspace/snapshots/tree-changes.ts';

/** The changes of the last revert that are still to be undone. Empty: there is none, or it was undone. */
export function undoable(
  records: readonly Pick<ChangeRecord, 'kind' | 'isPartial' | 'changes'>[],
): readonly TreeChange[] {
  const undone = new Set<string>();
  for (const { kind, isPartial, changes } of records.toReversed()) {
    if (kind === 'revert') return changes.filter(({ path }) => !undone.has(path));
    if (isPartial !== true) break;
    for (const { path } of changes) undone.add(path);
  }
  return [];
}
