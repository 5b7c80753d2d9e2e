import { Check, Circle, Minus, X } from 'lucide-react';
import { memo, useSyncExternalStore } from 'react';
import { durationText } from '../../text/format.ts';
import { text } from '../../text/text.ts';
import { visibleText } from '../../text/visible-text.ts';
import { classes } from '../../ui/class-names.ts';
import { Menu } from '../../ui/menu.tsx';
import type { CommandMark } from './command-marks.ts';
import type { PlacedMark, VisibleMarks } from './visible-marks.ts';

/** The actions of a command. Absent: not offered. */
export interface CommandActions {
  copyOutput(mark: CommandMark): void;
  copyCommand(mark: CommandMark): void;
  selectOutput(mark: CommandMark): void;
  readonly runAgain: ((mark: CommandMark) => void) | undefined;
}

/** Signs at the lines of the visible commands: whether each succeeded, and what can be done with it. */
export const CommandGutter = memo(function CommandGutter({
  marks,
  actions,
}: {
  readonly marks: VisibleMarks;
  readonly actions: CommandActions;
}) {
  const placed = useSyncExternalStore(marks.onChange, () => marks.placed);
  return (
    <div className="absolute start-0 top-0 w-5 touch:w-6">
      {placed.map((each) => (
        <MarkButton key={each.mark.commandId} placed={each} actions={actions} />
      ))}
    </div>
  );
});

function MarkButton({
  placed: { mark, top, height },
  actions,
}: {
  readonly placed: PlacedMark;
  readonly actions: CommandActions;
}) {
  const { isComplete, exitCode } = mark;
  const hasFailed = exitCode !== undefined && exitCode !== 0;
  const label = labelOf(mark);
  const Icon = !isComplete ? Circle : hasFailed ? X : exitCode === undefined ? Minus : Check;
  return (
    <Menu
      align="start"
      entries={[
        { label: text.terminal.copyOutput, onSelect: () => actions.copyOutput(mark) },
        { label: text.terminal.copyCommand, onSelect: () => actions.copyCommand(mark) },
        { label: text.terminal.selectOutput, onSelect: () => actions.selectOutput(mark) },
        {
          label: text.terminal.runAgain,
          onSelect: () => actions.runAgain?.(mark),
          isDisabled: actions.runAgain === undefined,
        },
      ]}
    >
      <button
        type="button"
        aria-label={label}
        title={label}
        style={{ top, height }}
        className={classes(
          'absolute inset-x-0 flex items-center justify-center hover:bg-hover',
          !isComplete && 'text-accent',
          isComplete && (hasFailed ? 'text-danger' : exitCode === undefined ? 'text-muted' : 'text-ok'),
        )}
      >
        <Icon className={isComplete ? 'size-3' : 'size-2 fill-current'} strokeWidth={3} aria-hidden />
      </button>
    </Menu>
  );
}

function labelOf({ commandLine, isComplete, exitCode, durationMs }: CommandMark): string {
  const line = visibleText(commandLine);
  if (!isComplete) return text.terminal.commandRunning(line);
  return text.terminal.commandDone(
    line,
    exitCode,
    durationMs === undefined ? undefined : durationText(durationMs),
  );
}
