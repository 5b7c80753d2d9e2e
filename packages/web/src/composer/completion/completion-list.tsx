import type { CompletionItem } from '@agenthost/protocol';
import { File, Folder, Hash, Image, Slash } from 'lucide-react';
import { useLayoutEffect, useRef } from 'react';
import { text } from '../../text/text.ts';
import { visibleText } from '../../text/visible-text.ts';
import { classes } from '../../ui/class-names.ts';
import { SafeText } from '../../ui/safe-text.tsx';
import type { Completions } from './use-completions.ts';

/** Id of an option, for `aria-activedescendant` of the field. */
export const completionId = (list: string, index: number): string => `${list}-${index}`;

/** The list of completions above the message field. The focus stays in the field. */
export function CompletionList({
  id,
  completions,
}: {
  readonly id: string;
  readonly completions: Completions;
}) {
  const list = useRef<HTMLDivElement>(null);
  const { items, index, choose } = completions;
  useLayoutEffect(() => {
    list.current?.children[index]?.scrollIntoView({ block: 'nearest' });
  }, [index, items]);
  if (items.length === 0) return null;
  return (
    <div
      ref={list}
      id={id}
      role="listbox"
      aria-label={text.composer.completions}
      className="absolute inset-x-0 bottom-full z-20 mb-2 max-h-64 overflow-y-auto rounded-xl border border-line bg-raised p-1 shadow-xl"
    >
      {items.map((item, at) => (
        // oxlint-disable-next-line jsx-a11y/interactive-supports-focus, jsx-a11y/click-events-have-key-events -- the field keeps the focus and has the keys
        <div
          key={`${item.insertText} ${item.attachment.label}`}
          id={completionId(id, at)}
          role="option"
          aria-selected={at === index}
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => choose(item)}
          className={classes(
            'flex min-h-8 cursor-default items-center gap-2.5 rounded-lg px-2.5 py-1 text-sm touch:min-h-11',
            at === index && 'bg-hover',
          )}
        >
          <span className="text-muted">
            <Glyph item={item} />
          </span>
          <SafeText className="shrink-0 truncate font-medium">{item.insertText.trim()}</SafeText>
          <span className="min-w-0 flex-1 truncate text-end text-xs text-muted">
            {visibleText(detailOf(item))}
          </span>
        </div>
      ))}
    </div>
  );
}

const ICON = 'size-4';

function Glyph({ item }: { readonly item: CompletionItem }) {
  switch (item.attachment.displayKind) {
    case 'directory':
      return <Folder className={ICON} aria-hidden />;
    case 'command':
      return <Slash className={ICON} aria-hidden />;
    case 'turn':
      return <Hash className={ICON} aria-hidden />;
    case 'image':
      return <Image className={ICON} aria-hidden />;
    default:
      return <File className={ICON} aria-hidden />;
  }
}

/** A description, unless it only repeats the text. */
function detailOf({ insertText, attachment: { label } }: CompletionItem): string {
  return insertText.includes(label) ? '' : label;
}
