import { useRef, useState } from 'react';
import { text } from '../text/text.ts';
import { TextInput } from '../ui/field.tsx';
import type { BoardSession } from './board-session.ts';
import { renameSession } from './session-actions.ts';

/** Most characters of a title that the field takes. */
const MAX_LENGTH = 500;

/** The title of a session as a field. Enter and leaving the field save, Escape does not. */
export function RenameField({
  session,
  onDone,
}: {
  readonly session: BoardSession;
  readonly onDone: () => void;
}) {
  const [title, setTitle] = useState(session.summary.title);
  const isCancelled = useRef(false);
  return (
    <TextInput
      autoFocus
      aria-label={text.board.renameLabel}
      className="h-8 py-0"
      maxLength={MAX_LENGTH}
      value={title}
      onFocus={(event) => event.currentTarget.select()}
      onChange={(event) => setTitle(event.currentTarget.value)}
      onBlur={() => {
        // Browsers differ in whether a removed field loses the focus first.
        if (!isCancelled.current) renameSession(session, title);
        onDone();
      }}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.nativeEvent.isComposing) return;
        if (event.key === 'Enter') event.currentTarget.blur();
        if (event.key === 'Escape') {
          isCancelled.current = true;
          onDone();
        }
      }}
    />
  );
}
