import { ChevronRight, ListTodo } from 'lucide-react';
import { useState } from 'react';
import { useSelected } from '../../live/use-live.ts';
import { text } from '../../text/text.ts';
import { visibleText } from '../../text/visible-text.ts';
import { classes } from '../../ui/class-names.ts';
import { useChatScope } from '../chat-scope.tsx';
import { PlanList } from './plan-list.tsx';
import { latestPlan, planItemsOf } from './plan-model.ts';

/** The latest plan of the chat above the composer, while it has open entries. */
export function PlanPanel() {
  const { chat } = useChatScope();
  const [isOpen, setOpen] = useState(false);
  const toolCall = useSelected(chat.mirror, latestPlan);
  if (toolCall === undefined) return undefined;
  const items = planItemsOf(toolCall);
  const done = items.filter(({ state }) => state === 'done').length;
  if (items.length === 0 || done === items.length) return undefined;
  const current =
    items.find(({ state }) => state === 'active') ?? items.find(({ state }) => state === 'pending');
  return (
    <section aria-label={text.chat.planTitle} className="rounded-xl border border-line bg-raised text-sm">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="flex min-h-9 w-full items-center gap-2 rounded-xl px-3 text-start hover:bg-hover touch:min-h-11"
      >
        <ListTodo className="size-4 shrink-0 text-muted" aria-hidden />
        <span className="shrink-0 text-muted tabular-nums">{text.chat.planProgress(done, items.length)}</span>
        <span className="min-w-0 flex-1 truncate">{visibleText(current?.content ?? '')}</span>
        <ChevronRight
          className={classes('size-3.5 shrink-0 text-faint transition-transform', isOpen && 'rotate-90')}
          aria-hidden
        />
      </button>
      {isOpen && (
        <div className="max-h-60 overflow-y-auto border-t border-line px-3 py-2.5">
          <PlanList items={items} />
        </div>
      )}
    </section>
  );
}
