import { directoriesAfter } from '../../wire/directories.ts';
import { isObject, type Json, listOf, StateNeeded } from '../reshape.ts';
import type { Reshaping } from '../step.ts';

/** The directories from the replaced one on, before and after the action. */
function changedEnd(action: Json, before: unknown): { readonly removed: string[]; readonly set: string[] } {
  const list = isObject(before)
    ? listOf(before.workingDirectories).filter((uri) => typeof uri === 'string')
    : [];
  const { directory, replacement } = action;
  if (typeof directory !== 'string' || typeof replacement !== 'string') return { removed: [], set: [] };
  const after =
    directoriesAfter(list, { type: 'session/workingDirectoryReplaced', directory, replacement }) ?? [];
  if (after === list) return { removed: [], set: [] };
  const start = list.indexOf(directory);
  return { removed: list.slice(start), set: after.slice(start) };
}

/** A replaced directory is removed with all that follow it, and these are added again in the new order. */
export const replacedDirectories: Reshaping = {
  down: {
    actions: {
      'session/workingDirectoryReplaced': (action, { before }) => {
        if (before === undefined) throw new StateNeeded();
        const { removed, set } = changedEnd(action, before);
        return [
          ...removed.map((directory) => ({ type: 'session/workingDirectoryRemoved', directory })),
          ...set.map((directory) => ({ type: 'session/workingDirectorySet', directory })),
        ];
      },
    },
  },
  envelopes: {
    'session/workingDirectoryReplaced': (action, before) => {
      const { removed, set } = changedEnd(action, before);
      return Math.max(1, removed.length + set.length);
    },
  },
};
