import type { URI } from './basics.ts';

/** A change of the working directories of a session or chat. */
type DirectoryChange =
  | { readonly type: `${string}/workingDirectorySet`; readonly directory: URI }
  | { readonly type: `${string}/workingDirectoryRemoved`; readonly directory: URI }
  | {
      readonly type: `${string}/workingDirectoryReplaced`;
      readonly directory: URI;
      readonly replacement: URI;
    };

/** The list after an action on working directories [SESS-21] [SESS-22] [CHAT-41]; the list itself when nothing changes. */
export function directoriesAfter(list: URI[] | undefined, action: DirectoryChange): URI[] | undefined {
  const { directory } = action;
  const index = list?.indexOf(directory) ?? -1;
  if ('replacement' in action)
    return list === undefined || index < 0 ? list : replaced(list, index, action.replacement);
  if (action.type.endsWith('Removed')) return index < 0 ? list : list?.toSpliced(index, 1);
  return index < 0 ? [...(list ?? []), directory] : list;
}

/** A replacement that stands before the replaced directory keeps its place; one that stands after it moves. */
function replaced(list: URI[], index: number, replacement: URI): URI[] {
  if (list[index] === replacement) return list;
  if (list.indexOf(replacement) >= 0 && list.indexOf(replacement) < index) return list.toSpliced(index, 1);
  return list.with(index, replacement).filter((uri, at) => at <= index || uri !== replacement);
}
