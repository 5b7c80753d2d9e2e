import { DropdownMenu as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { classes } from './class-names.ts';

/** An entry of a menu, or a line between entries. */
export type MenuEntry =
  | {
      readonly label: string;
      readonly onSelect: () => void;
      readonly icon?: ReactNode;
      /** Keys that do the same, such as `Ctrl K`. */
      readonly keys?: string;
      readonly isDangerous?: boolean;
      readonly isDisabled?: boolean;
      /** Present: the entry shows whether it is chosen. */
      readonly isChosen?: boolean;
    }
  | 'separator';

const CONTENT =
  'z-50 max-h-(--radix-dropdown-menu-content-available-height) max-w-80 min-w-48 overflow-y-auto rounded-xl border border-line bg-raised p-1 shadow-xl';

/** A button (`children`, one element) that opens a list of actions. */
export function Menu({
  children,
  entries,
  align = 'end',
}: {
  readonly children: ReactNode;
  readonly entries: readonly MenuEntry[];
  readonly align?: 'start' | 'end';
}) {
  return (
    <Radix.Root modal={false}>
      <Radix.Trigger asChild>{children}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content align={align} sideOffset={4} collisionPadding={8} className={CONTENT}>
          <Entries entries={entries} />
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

/** A point of the window, in pixels. */
export interface MenuPlace {
  readonly x: number;
  readonly y: number;
}

/** A context menu at a point. Rendered only while it is open; `onClose` gets the focus back to where it was. */
export function MenuAt({
  place,
  label,
  entries,
  onClose,
}: {
  readonly place: MenuPlace;
  readonly label: string;
  readonly entries: readonly MenuEntry[];
  readonly onClose: () => void;
}) {
  return (
    <Radix.Root open modal={false} onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Radix.Trigger asChild>
        <button
          type="button"
          tabIndex={-1}
          aria-hidden
          className="pointer-events-none fixed size-0 opacity-0"
          style={{ left: place.x, top: place.y }}
        />
      </Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          align="start"
          sideOffset={2}
          collisionPadding={8}
          aria-label={label}
          aria-labelledby={undefined}
          onCloseAutoFocus={(event) => event.preventDefault()}
          className={CONTENT}
        >
          <Entries entries={entries} />
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

function Entries({ entries }: { readonly entries: readonly MenuEntry[] }) {
  return entries.map((entry, index) =>
    entry === 'separator' ? (
      // oxlint-disable-next-line react/no-array-index-key -- separators have no identity
      <Radix.Separator key={index} className="mx-1 my-1 h-px bg-line" />
    ) : (
      <MenuItem key={entry.label} entry={entry} />
    ),
  );
}

function MenuItem({ entry }: { readonly entry: Exclude<MenuEntry, 'separator'> }) {
  const className = classes(
    'flex min-h-9 cursor-default items-center gap-2.5 rounded-lg px-2.5 text-sm outline-none select-none touch:min-h-11',
    'data-[highlighted]:bg-hover data-[disabled]:opacity-50',
    entry.isDangerous === true && 'text-danger',
  );
  const content = (
    <>
      <span className="flex size-4 shrink-0 items-center justify-center text-muted">
        {entry.isChosen === true ? '✓' : entry.icon}
      </span>
      <span className="min-w-0 flex-1 truncate">{entry.label}</span>
      {entry.keys !== undefined && <span className="text-xs text-faint touch:hidden">{entry.keys}</span>}
    </>
  );
  const shared = { className, disabled: entry.isDisabled === true, onSelect: entry.onSelect };
  if (entry.isChosen === undefined) return <Radix.Item {...shared}>{content}</Radix.Item>;
  return (
    <Radix.CheckboxItem {...shared} checked={entry.isChosen}>
      {content}
    </Radix.CheckboxItem>
  );
}
