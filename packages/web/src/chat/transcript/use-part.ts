import type { ActiveTurn, ResponsePart, Turn } from '@agenthost/protocol';
import { useLinkStatus } from '../../live/use-hosts.ts';
import { useSelected } from '../../live/use-live.ts';
import { useChatScope } from '../chat-scope.tsx';
import { partOf, turnOf } from './rows.ts';

/** A part of a turn; renders again when this part changed. */
export function usePart(turnId: string, index: number): ResponsePart | undefined {
  const { chat } = useChatScope();
  return useSelected(chat.mirror, (state) => partOf(state, turnId, index));
}

/** A value that is read from a turn. `select` must give the same object for the same turn. */
export function useTurnPart<T>(turnId: string, select: (turn: Turn | ActiveTurn | undefined) => T): T {
  const { chat } = useChatScope();
  return useSelected(chat.mirror, (state) => select(turnOf(state, turnId)));
}

/** Whether a part is the last of the running turn, so that more of it may come. */
export function useIsStreaming(turnId: string, index: number): boolean {
  const { chat } = useChatScope();
  return useSelected(
    chat.mirror,
    ({ activeTurn }) => activeTurn?.id === turnId && activeTurn.responseParts.length - 1 === index,
  );
}

/** Whether a turn was started in this browser and has not reached the host, which does not answer. */
export function useIsUnsent(turnId: string): boolean {
  const { link, chat } = useChatScope();
  const isConfirmed = useSelected(chat.mirror, () => turnOf(chat.mirror.confirmed, turnId) !== undefined);
  return useLinkStatus(link).state === 'away' && !isConfirmed;
}
