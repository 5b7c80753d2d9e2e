import { workspaceText } from '../text/workspace-text.ts';
import { Select } from '../ui/field.tsx';
import type { ChangesKind } from '../workspace/panel-address.ts';
import type { ChangesChoice } from './changes-choice.ts';
import { shortMessage } from './short-message.ts';

interface ChangesSelectProps {
  readonly choice: ChangesChoice;
  readonly kind: ChangesKind;
  /** Absent: the last turn. */
  readonly turnId: string | undefined;
  readonly onChange: (kind: ChangesKind, turnId: string | undefined) => void;
}

/** Chooses which changes are shown. */
export function ChangesSelect({ choice, kind, turnId, onChange }: ChangesSelectProps) {
  const isTurnLoaded = choice.turns.some(({ id }) => id === turnId);
  return (
    <Select
      className="h-8 w-auto! max-w-60 max-sm:max-w-40 py-0! touch:h-11"
      aria-label={workspaceText.changes.which}
      value={kind === 'turn' && turnId !== undefined ? `turn ${turnId}` : kind}
      onChange={({ target }) => {
        const [next, turn] = target.value.split(' ');
        const chosen = choice.kinds.find((each) => each === next);
        if (chosen !== undefined) onChange(chosen, turn);
      }}
    >
      {choice.kinds.map((each) => (
        <option key={each} value={each}>
          {workspaceText.changes.kind[each]}
        </option>
      ))}
      {choice.turns.length > 0 && (
        <optgroup label={workspaceText.changes.turns}>
          {kind === 'turn' && turnId !== undefined && !isTurnLoaded && (
            <option value={`turn ${turnId}`}>{workspaceText.changes.turnNumber(turnId)}</option>
          )}
          {choice.turns.map(({ id, message }) => (
            <option key={id} value={`turn ${id}`}>
              {workspaceText.changes.turnNumber(shortMessage(message))}
            </option>
          ))}
        </optgroup>
      )}
    </Select>
  );
}
