import type { SessionHandle } from '@agenthost/client';
import { useEffect, useState } from 'react';
import { useSelected } from '../../live/use-live.ts';
import { text } from '../../text/text.ts';
import { visibleText } from '../../text/visible-text.ts';
import { reportOutcome } from '../report-outcome.ts';
import { onRenameRequested } from './rename-request.ts';

/** The title of a session. A click edits it in its place. */
export function SessionTitle({
  session,
  mayAct,
}: {
  readonly session: SessionHandle;
  readonly mayAct: boolean;
}) {
  const title = useSelected(session.mirror, (state) => state.title);
  const [isEditing, setEditing] = useState(false);
  useEffect(() => onRenameRequested(() => setEditing(true)), []);
  const shown = title === '' ? text.chat.untitled : visibleText(title);
  if (isEditing && mayAct)
    return (
      <TitleField
        title={title}
        onDone={(next) => {
          setEditing(false);
          if (next !== undefined && next !== title && next !== '')
            void reportOutcome(text.chat.rename, session.rename(next));
        }}
      />
    );
  return (
    <h1 className="min-w-0 text-[0.9375rem] leading-6 font-semibold">
      {mayAct ? (
        <button
          type="button"
          title={shown}
          onClick={() => setEditing(true)}
          className="-mx-1 block max-w-full rounded-md px-1 text-start hover:bg-hover"
        >
          <bdi dir="auto" className="truncate-auto">
            {shown}
          </bdi>
        </button>
      ) : (
        <bdi dir="auto" className="truncate-auto" title={shown}>
          {shown}
        </bdi>
      )}
    </h1>
  );
}

function TitleField({
  title,
  onDone,
}: {
  readonly title: string;
  readonly onDone: (title: string | undefined) => void;
}) {
  const [value, setValue] = useState(title);
  return (
    <input
      autoFocus
      dir="auto"
      aria-label={text.chat.renameLabel}
      value={value}
      maxLength={200}
      onFocus={(event) => event.target.select()}
      onChange={(event) => setValue(event.target.value)}
      onBlur={() => onDone(value.trim())}
      onKeyDown={(event) => {
        if (event.nativeEvent.isComposing) return;
        if (event.key === 'Enter') onDone(value.trim());
        else if (event.key === 'Escape') onDone(undefined);
      }}
      className="-mx-1 w-full max-w-lg rounded-md border border-line-strong bg-surface px-1 text-[0.9375rem] leading-6 font-semibold touch:text-base"
    />
  );
}
