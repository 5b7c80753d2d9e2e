import type { ButtonHTMLAttributes, ReactNode } from 'react';
import { visibleText } from '../text/visible-text.ts';
import { classes } from './class-names.ts';

/** Looks of a button: the main action of a view, an ordinary one, one without a border, one that destroys. */
export type ButtonLook = 'primary' | 'plain' | 'ghost' | 'danger';

const LOOKS: Readonly<Record<ButtonLook, string>> = {
  primary: 'bg-accent text-on-accent hover:opacity-90',
  plain: 'border border-line-strong bg-raised hover:bg-hover',
  ghost: 'hover:bg-hover',
  danger: 'border border-danger text-danger hover:bg-danger-soft',
};

const BASE =
  'inline-flex shrink-0 items-center justify-center gap-1.5 rounded-lg font-medium select-none transition-colors disabled:opacity-50';

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly look?: ButtonLook;
  readonly size?: 'small' | 'normal';
}

/** A button with a text. At least 44 px high on touch screens. */
export function Button({
  look = 'plain',
  size = 'normal',
  className,
  type = 'button',
  ...rest
}: ButtonProps) {
  const height = size === 'small' ? 'h-8 px-2.5 text-sm touch:h-10' : 'h-9 px-3.5 text-sm touch:h-11';
  return <button {...rest} type={type} className={classes(BASE, LOOKS[look], height, className)} />;
}

interface IconButtonProps extends Omit<ButtonProps, 'children'> {
  /** Name for screen readers, and the tooltip. */
  readonly label: string;
  readonly children: ReactNode;
}

/** A button with an icon. 44 px wide and high on touch screens. */
export function IconButton({
  label,
  look = 'ghost',
  size = 'normal',
  className,
  type = 'button',
  ...rest
}: IconButtonProps) {
  const shown = visibleText(label);
  const box = size === 'small' ? 'size-7 touch:size-10' : 'size-9 touch:size-11';
  return (
    <button
      {...rest}
      type={type}
      aria-label={shown}
      title={shown}
      className={classes(BASE, LOOKS[look], box, look === 'ghost' && 'text-muted hover:text-text', className)}
    />
  );
}
