import { type ForkChatSource, invalidParam, notFound, turnInProgress } from '@agenthost/protocol';
import { type ForkPoint, findForkPoint } from '../../sync/fork.ts';
import type { Sync } from '../../sync/sync.ts';

/** The turn that a new chat's copied history ends with. Rejects as [CHAT-1] says. */
export async function findChatFork(
  sync: Sync,
  session: string,
  { chat, turnId }: Omit<ForkChatSource, 'kind'>,
): Promise<ForkPoint> {
  const source = await sync.registry.openOf('chat', chat);
  if (source?.isAlive !== true) throw notFound('Chat', chat);
  if (source.session !== session) throw invalidParam('source.chat', `${chat} belongs to another session`);
  const point = await findForkPoint(sync, source, turnId);
  if (point === 'running') throw turnInProgress(chat, turnId);
  if (point === undefined) throw invalidParam('source.turnId', `${chat} has no turn ${turnId}`);
  return point;
}
