import { ChevronRight } from 'lucide-react';
import { text } from '../text/text.ts';
import { visibleText } from '../text/visible-text.ts';
import { classes } from '../ui/class-names.ts';
import { SafeText } from '../ui/safe-text.tsx';
import type { BoardRow, SessionGroup } from './group-sessions.ts';
import type { RowControls } from './list-controls.ts';

/** The name of a group for people. */
export function groupName({ need, project }: SessionGroup): string {
  if (need !== undefined) return text.board.needs[need];
  return project === undefined || project === '' ? text.board.noProject : project;
}

/** The heading of a group, which opens and closes it. */
export function GroupHeading({
  row,
  isCurrent,
  controls,
  onToggle,
}: {
  readonly row: Extract<BoardRow, { kind: 'group' }>;
  readonly isCurrent: boolean;
  readonly controls: RowControls;
  readonly onToggle: () => void;
}) {
  const { group, isOpen, key } = row;
  const name = groupName(group);
  return (
    <h2 className="px-2 pt-2">
      <button
        type="button"
        data-row
        ref={(element) => controls.register(key, element)}
        tabIndex={isCurrent ? 0 : -1}
        aria-expanded={isOpen}
        onFocus={() => controls.setCurrent(key)}
        onClick={onToggle}
        className="flex h-7 w-full items-center gap-1.5 rounded-md px-2 text-xs font-medium text-muted hover:text-text touch:h-11"
      >
        <ChevronRight
          className={classes(
            'size-3.5 shrink-0 transition-transform',
            isOpen ? 'rotate-90' : 'rtl:rotate-180',
          )}
          aria-hidden
        />
        <span
          className={classes('min-w-0 truncate', group.need === 'asks' && 'text-warn')}
          title={visibleText(name)}
        >
          <SafeText>{name}</SafeText>
        </span>
        <span className="text-faint tabular-nums" aria-hidden>
          {group.sessions.length}
        </span>
        <span className="sr-only">, {text.board.sessionCount(group.sessions.length)}</span>
      </button>
    </h2>
  );
}
