import { ArrowDown } from 'lucide-react';
import { useState } from 'react';
import { useSelected } from '../../live/use-live.ts';
import { text } from '../../text/text.ts';
import { useChatScope } from '../chat-scope.tsx';

/** A button that shows while people read further up. It counts the turns that began since. */
export function JumpToLatest({ onJump }: { readonly onJump: () => void }) {
  const { chat } = useChatScope();
  const [lastSeen] = useState(() => lastTurnId(chat.mirror.state));
  const newCount = useSelected(chat.mirror, ({ turns, activeTurn }) => {
    const index = turns.findLastIndex(({ id }) => id === lastSeen);
    const active = activeTurn !== undefined && activeTurn.id !== lastSeen ? 1 : 0;
    return index === -1 ? active : turns.length - 1 - index + active;
  });
  return (
    <div className="appear-late pointer-events-none absolute inset-x-0 bottom-2 z-10 flex justify-center">
      <button
        type="button"
        onClick={onJump}
        className="pointer-events-auto flex h-8 items-center gap-1.5 rounded-full border border-line-strong bg-raised px-3 text-sm shadow-lg hover:bg-hover touch:h-11"
      >
        <ArrowDown className="size-4" aria-hidden />
        {newCount === 0 ? text.chat.jumpToLatest : text.chat.jumpWithCount(newCount)}
      </button>
    </div>
  );
}

const lastTurnId = ({
  turns,
  activeTurn,
}: {
  readonly turns: readonly { readonly id: string }[];
  readonly activeTurn?: { readonly id: string };
}): string | undefined => activeTurn?.id ?? turns.at(-1)?.id;
