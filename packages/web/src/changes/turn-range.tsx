import { visibleText } from '../text/visible-text.ts';
import { workspaceText } from '../text/workspace-text.ts';
import { Select } from '../ui/field.tsx';
import type { ChosenTurn, TurnRange } from './changes-choice.ts';
import { shortMessage } from './short-message.ts';

interface TurnRangeFieldsProps {
  /** The latest first. */
  readonly turns: readonly ChosenTurn[];
  readonly range: TurnRange;
  readonly onChange: (range: TurnRange) => void;
}

/** Chooses the turn before a range and the last turn of the range. */
export function TurnRangeFields({ turns, range, onChange }: TurnRangeFieldsProps) {
  const indexOf = (id: string): number => turns.findIndex((turn) => turn.id === id);
  // A turn that is not loaded is older than all that are.
  const after = indexOf(range.after) === -1 ? turns.length : indexOf(range.after);
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-3 py-1.5 text-xs text-muted">
      <TurnField
        label={workspaceText.changes.afterTurn}
        turns={turns.slice(1)}
        value={range.after}
        onChange={(id) =>
          onChange({ after: id, to: indexOf(range.to) < indexOf(id) ? range.to : lastOf(turns) })
        }
      />
      <TurnField
        label={workspaceText.changes.upToTurn}
        turns={turns.slice(0, after)}
        value={range.to}
        onChange={(id) => onChange({ ...range, to: id })}
      />
    </div>
  );
}

const lastOf = (turns: readonly ChosenTurn[]): string => turns[0]?.id ?? '';

function TurnField({
  label,
  turns,
  value,
  onChange,
}: {
  readonly label: string;
  readonly turns: readonly ChosenTurn[];
  readonly value: string;
  readonly onChange: (id: string) => void;
}) {
  const isLoaded = turns.some(({ id }) => id === value);
  return (
    <label className="flex min-w-0 flex-1 basis-48 items-center gap-2">
      <span className="shrink-0">{label}</span>
      <Select
        className="h-8 min-w-0 py-0! touch:h-11"
        value={value}
        onChange={({ target }) => onChange(target.value)}
      >
        {!isLoaded && <option value={value}>{visibleText(value)}</option>}
        {turns.map(({ id, message }) => (
          <option key={id} value={id}>
            {shortMessage(message)}
          </option>
        ))}
      </Select>
    </label>
  );
}
