import {
  Archive,
  Check,
  CircleAlert,
  CircleDot,
  LoaderCircle,
  type LucideIcon,
  MessageCircleQuestionMark,
} from 'lucide-react';
import type { ReactNode } from 'react';
import { text } from '../text/text.ts';
import { classes } from '../ui/class-names.ts';
import type { StatusSign } from './session-need.ts';

const icon = (Icon: LucideIcon, className: string): ReactNode => (
  <Icon className={classes('size-4', className)} aria-hidden />
);

const SIGNS: Readonly<Record<StatusSign, ReactNode>> = {
  asks: icon(MessageCircleQuestionMark, 'text-warn'),
  running: icon(LoaderCircle, 'animate-spin text-accent'),
  failed: icon(CircleAlert, 'text-danger'),
  unread: icon(CircleDot, 'text-accent'),
  done: icon(Check, 'text-faint'),
  archived: icon(Archive, 'text-faint'),
};

/** The status of a session: an icon, and its words for screen readers. */
export function StatusIcon({ sign, className }: { readonly sign: StatusSign; readonly className?: string }) {
  return (
    <span className={classes('inline-flex shrink-0', className)} title={text.board.signs[sign]}>
      {SIGNS[sign]}
      <span className="sr-only">{text.board.signs[sign]}: </span>
    </span>
  );
}
