import { join, relative } from 'node:path';
import { realPathOf } from '../../approvals/files.ts';
import type { Channel } from '../../sync/channel.ts';
import type { Sync } from '../../sync/sync.ts';
import type { Tx } from '../../sync/tx.ts';
import { fileUriOf } from '../../workspace/file-uri.ts';
import { isWithin } from '../../workspace/real-path.ts';
import type { WorktreeRecord } from './store.ts';

/** Puts the same folders of a worktree in place of a new session's working directories. Those outside of its repository stay. */
export function replaceDirectories(
  tx: Tx,
  sync: Sync,
  session: Channel<'session'>,
  { path, checkout }: Pick<WorktreeRecord, 'path' | 'checkout'>,
): void {
  for (const directory of session.state.workingDirectories ?? []) {
    const real = realPathOf(directory);
    if (real === undefined || !isWithin(real, checkout)) continue;
    const replacement = fileUriOf(join(path, relative(checkout, real)));
    tx.emit(session, { type: 'session/workingDirectoryReplaced', directory, replacement });
    for (const { resource, workingDirectories = [] } of session.state.chats) {
      const chat = sync.registry.getOf('chat', resource);
      if (chat === undefined || !workingDirectories.includes(directory)) continue;
      tx.emit(chat, { type: 'chat/workingDirectorySet', directory: replacement });
      tx.emit(chat, { type: 'chat/workingDirectoryRemoved', directory });
    }
  }
}
