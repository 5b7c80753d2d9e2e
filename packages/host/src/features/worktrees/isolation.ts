import { findChat } from '@agenthost/protocol';
import { realPathOf } from '../../approvals/files.ts';
import type { Sync } from '../../sync/sync.ts';
import type { WorktreeStore } from './store.ts';

/**
 * Real paths of the folders that a chat may work in without a question, if one of them is in a worktree. `undefined`: the chat is not isolated.
 */
export function isolatedFolders(
  { sync, store }: { readonly sync: Sync; readonly store: WorktreeStore },
  { session, chat }: { readonly session: string; readonly chat: string },
): readonly string[] | undefined {
  const state = sync.registry.getOf('session', session)?.state;
  if (state === undefined) return undefined;
  const own = findChat(state.chats, chat)?.workingDirectories ?? [];
  const directories = own.length > 0 ? own : (state.workingDirectories ?? []);
  const worktrees = directories.map((directory) => store.containing(directory)?.path);
  if (worktrees.every((path) => path === undefined)) return undefined;
  const folders = directories.map((directory, index) => worktrees[index] ?? realPathOf(directory));
  return folders.filter((folder) => folder !== undefined);
}
