import { useCallback, useEffect, useRef, useState } from 'react';
import { text } from '../../text/text.ts';
import { showToast } from '../../ui/toasts.tsx';
import type { VirtualListHandle } from '../../ui/virtual-list.tsx';
import { useChatScope } from '../chat-scope.tsx';
import type { Row } from './rows.ts';

/** How long a row that was asked for stays marked. Milliseconds. */
const MARKED_MS = 2_500;

interface LinkedRowOptions {
  readonly rows: readonly Row[];
  readonly list: React.RefObject<VirtualListHandle | null>;
  readonly turn: string | undefined;
  readonly ask: string | undefined;
}

/**
 * Scrolls to the row that the address names, and loads older turns until it is there. Returns the key of the marked row, and a function that
 * shows another one.
 */
export function useLinkedRow({ rows, list, turn, ask }: LinkedRowOptions) {
  const { chat, session } = useChatScope();
  const [marked, setMarked] = useState<string | undefined>(undefined);
  /** What still has to be found. */
  const [wanted, setWanted] = useState<string | undefined>(undefined);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const show = useCallback(
    (key: string) => {
      list.current?.scrollToKey(key, 'center');
      setMarked(key);
      clearTimeout(timer.current);
      timer.current = setTimeout(() => setMarked(undefined), MARKED_MS);
    },
    [list],
  );
  useEffect(() => {
    if (turn !== undefined) return setWanted(`${turn} message`);
    if (ask === undefined) return;
    const asked = session.mirror.state.inputNeeded?.find(({ id }) => id === ask);
    const { activeTurn } = chat.mirror.state;
    if (asked === undefined || asked.chat !== chat.mirror.uri || activeTurn === undefined) return;
    const index = activeTurn.responseParts.findIndex((part) =>
      asked.kind === 'chatInput'
        ? part.kind === 'inputRequest' && part.request.id === asked.request.id
        : part.kind === 'toolCall' && part.toolCall.toolCallId === asked.toolCall.toolCallId,
    );
    if (index >= 0) setWanted(`${activeTurn.id} ${index}`);
  }, [turn, ask, chat, session]);
  useEffect(() => {
    if (wanted === undefined) return;
    if (rows.some(({ key }) => key === wanted)) {
      setWanted(undefined);
      show(wanted);
      return;
    }
    const giveUp = (): void => {
      setWanted(undefined);
      showToast({ message: text.chat.turnMissing });
    };
    if (chat.mirror.state.turnsNextCursor === undefined) return giveUp();
    void chat.mirror.fetchOlderTurns().catch(giveUp);
  }, [wanted, rows, chat, show]);
  return [marked, show] as const;
}
