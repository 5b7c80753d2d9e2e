import { Command } from 'cmdk';
import type { ReactNode } from 'react';

/** Lines of the palette below a heading; nothing without lines. */
export function Group({
  heading,
  children,
}: {
  readonly heading: string;
  readonly children: readonly ReactNode[];
}) {
  if (children.length === 0) return undefined;
  return (
    <Command.Group
      heading={heading}
      className="[&_[cmdk-group-heading]]:px-2.5 [&_[cmdk-group-heading]]:py-1.5 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:text-muted"
    >
      {children}
    </Command.Group>
  );
}

/** A line of the palette. `value` is unique in the palette. */
export function Item({
  value,
  onSelect,
  children,
}: {
  readonly value: string;
  readonly onSelect: () => void;
  readonly children: ReactNode;
}) {
  return (
    <Command.Item
      value={value}
      onSelect={onSelect}
      className="flex min-h-9 cursor-default items-center gap-2.5 rounded-lg px-2.5 text-sm select-none data-[selected=true]:bg-hover touch:min-h-11"
    >
      {children}
    </Command.Item>
  );
}
