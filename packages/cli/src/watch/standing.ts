import type { ChatHandle } from '@agenthost/client';
import { statusWord } from '../render/session-line.ts';
import { openBlocks } from './open-blocks.ts';

/** How a session stands once all that there is has been shown; `undefined` where its default chat shows it by itself. */
export function standing(
  main: ChatHandle,
  chats: readonly ChatHandle[],
  nameOf: (chat: ChatHandle) => string,
): string | undefined {
  if (main.mirror.state.activeTurn !== undefined) return undefined;
  const asking = chats.find((chat) => openBlocks(chat).length > 0);
  if (asking !== undefined) return `chat "${nameOf(asking)}" waits for an answer`;
  const working = chats.find(({ mirror }) => mirror.state.activeTurn !== undefined);
  if (working !== undefined) return `chat "${nameOf(working)}" works; waiting for what comes`;
  return `${statusWord(main.mirror.state.status)}; waiting for what comes`;
}
