import { Circle, CircleCheck, CircleDot } from 'lucide-react';
import { text } from '../../text/text.ts';
import { visibleText } from '../../text/visible-text.ts';
import { classes } from '../../ui/class-names.ts';
import type { PlanItem } from './plan-model.ts';

const ICONS = { done: CircleCheck, active: CircleDot, pending: Circle };

/** The entries of a plan as a check list. */
export function PlanList({ items }: { readonly items: readonly PlanItem[] }) {
  return (
    <ul className="flex flex-col gap-1 text-sm">
      {items.map(({ content, state }, index) => {
        const Icon = ICONS[state];
        return (
          // oxlint-disable-next-line react/no-array-index-key -- entries have no identity
          <li key={index} className="flex items-start gap-2">
            <Icon
              className={classes(
                'mt-0.5 size-4 shrink-0',
                state === 'done' ? 'text-ok' : state === 'active' ? 'text-accent' : 'text-faint',
              )}
              aria-hidden
            />
            <span
              dir="auto"
              className={classes(
                'min-w-0 break-words',
                state === 'done' && 'text-muted line-through',
                state === 'active' && 'font-medium',
              )}
            >
              {visibleText(content)}
              <span className="sr-only"> ({text.chat.planItem[state]})</span>
            </span>
          </li>
        );
      })}
    </ul>
  );
}
