import type { ContentStore } from '../../turns/contents/content-store.ts';
import type { Feature } from '../feature.ts';
import { showBackgroundWork } from './background-work.ts';
import { type ChatParts, chatCommands } from './commands.ts';
import { chatModule } from './module.ts';
import { observeTurns, resumeQueues } from './queue.ts';
import { dropOldTurns } from './retain.ts';

/** Chats: clients create them, write in them, and cut and read their history [CHAT-1] to [CHAT-19]. */
export function chatFeature(parts: ChatParts & { readonly contents: ContentStore }): Feature & {
  /**
   * Removes all completed turns of a chat except the newest `keep`, for all clients. Resolves when the
   * removal is durable.
   */
  dropTurns(chat: string, keep: number): Promise<void>;
} {
  const { sync, drain } = parts;
  drain.add({ resume: () => resumeQueues(parts) });
  return {
    name: 'chat',
    commands: chatCommands(parts),
    channel: { chat: chatModule(parts) },
    observe: () => {
      observeTurns(parts);
      showBackgroundWork(sync);
    },
    dropTurns: async (chat, keep) => {
      await dropOldTurns(sync, chat, keep);
      await sync.commitRows([]);
    },
  };
}
