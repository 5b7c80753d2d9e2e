import { Search, X } from 'lucide-react';
import { type Ref } from 'react';
import { text } from '../../text/text.ts';
import { IconButton } from '../../ui/button.tsx';
import { classes } from '../../ui/class-names.ts';
import { INPUT_STYLE } from '../../ui/field.tsx';

/** The field that filters and searches sessions. Escape clears it, the down arrow goes to the list. */
export function SearchField({
  value,
  onChange,
  onLeave,
  input,
  isCompact = false,
}: {
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** Called to move the focus to the list. */
  readonly onLeave: () => void;
  readonly input?: Ref<HTMLInputElement>;
  /** True: the field is narrow, and so is its hint. */
  readonly isCompact?: boolean;
}) {
  return (
    <div role={isCompact ? undefined : 'search'} className="relative min-w-0 flex-1">
      <Search
        className="pointer-events-none absolute start-2.5 top-1/2 size-4 -translate-y-1/2 text-faint"
        aria-hidden
      />
      <input
        ref={input}
        type="text"
        inputMode="search"
        enterKeyHint="search"
        autoComplete="off"
        spellCheck={false}
        aria-label={text.board.search}
        placeholder={isCompact ? text.board.searchShort : text.board.searchPlaceholder}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return;
          if (event.key === 'Escape') {
            if (value === '') event.currentTarget.blur();
            onChange('');
          } else if (event.key === 'ArrowDown' || event.key === 'Enter') onLeave();
          else return;
          event.preventDefault();
        }}
        className={classes(INPUT_STYLE, 'h-9 ps-8 text-ellipsis touch:h-11', value !== '' && 'pe-9')}
      />
      {value !== '' && (
        <IconButton
          size="small"
          label={text.board.clearSearch}
          className="absolute end-1 top-1/2 -translate-y-1/2"
          onClick={() => onChange('')}
        >
          <X className="size-4" aria-hidden />
        </IconButton>
      )}
    </div>
  );
}
