import {
  Archive,
  Check,
  CircleAlert,
  CircleDot,
  LoaderCircle,
  type LucideIcon,
  MessageCircleQuestionMark,
} from 'lucide-react';
import { text } from '../text/text.ts';
import { classes } from '../ui/class-names.ts';
import type { StatusSign } from './session-need.ts';

const SIGNS: Readonly<Record<StatusSign, readonly [icon: LucideIcon, className: string]>> = {
  asks: [MessageCircleQuestionMark, 'text-warn'],
  running: [LoaderCircle, 'animate-spin text-accent'],
  failed: [CircleAlert, 'text-danger'],
  unread: [CircleDot, 'text-accent'],
  done: [Check, 'text-faint'],
  archived: [Archive, 'text-faint'],
};

/** The status of a session: an icon, and its words for screen readers. */
export function StatusIcon({ sign, className }: { readonly sign: StatusSign; readonly className?: string }) {
  const [Icon, color] = SIGNS[sign];
  return (
    <span className={classes('inline-flex shrink-0', className)} title={text.board.signs[sign]}>
      <Icon className={classes('size-4', color)} aria-hidden />
      <span className="sr-only">{text.board.signs[sign]}: </span>
    </span>
  );
}
