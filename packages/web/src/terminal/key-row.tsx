import { ArrowDown, ArrowLeft, ArrowRight, ArrowUp } from 'lucide-react';
import type { ReactNode } from 'react';
import { text } from '../text/text.ts';
import { classes } from '../ui/class-names.ts';

const KEY =
  'flex h-11 min-w-11 flex-1 items-center justify-center rounded-lg border border-line bg-raised px-1 font-mono text-sm select-none active:bg-hover';

/** Arrow keys by the final character of their sequence. */
const ARROWS: readonly (readonly [string, string, ReactNode])[] = [
  [text.terminal.keys.left, 'D', <ArrowLeft key="left" className="size-4" aria-hidden />],
  [text.terminal.keys.up, 'A', <ArrowUp key="up" className="size-4" aria-hidden />],
  [text.terminal.keys.down, 'B', <ArrowDown key="down" className="size-4" aria-hidden />],
  [text.terminal.keys.right, 'C', <ArrowRight key="right" className="size-4" aria-hidden />],
];

/** Keys that on-screen keyboards lack. Shown on touch screens only. */
export function KeyRow({
  isControl,
  onControl,
  onKeys,
  arrowPrefix,
}: {
  /** Whether the next key is typed with Control. */
  readonly isControl: boolean;
  readonly onControl: (isControl: boolean) => void;
  readonly onKeys: (keys: string) => void;
  /** The start of an arrow key's sequence, which depends on the program. */
  readonly arrowPrefix: () => string;
}) {
  const key = (label: string, keys: () => string, content: ReactNode = label) => (
    <button key={label} type="button" aria-label={label} className={KEY} onClick={() => onKeys(keys())}>
      {content}
    </button>
  );
  return (
    <div
      role="toolbar"
      aria-label={text.terminal.keyRow}
      // The terminal keeps the focus, and with it the on-screen keyboard.
      onPointerDown={(event) => event.preventDefault()}
      className="hidden shrink-0 gap-1 overflow-x-auto border-t border-line bg-canvas p-1 touch:flex"
    >
      {key(text.terminal.keys.escape, () => '\u001b')}
      {key(text.terminal.keys.tab, () => '\t')}
      <button
        type="button"
        aria-pressed={isControl}
        className={classes(KEY, isControl && 'border-accent bg-accent-soft text-accent')}
        onClick={() => onControl(!isControl)}
      >
        {text.terminal.keys.control}
      </button>
      {ARROWS.map(([label, final, icon]) => key(label, () => arrowPrefix() + final, icon))}
      {['|', '/', '~', '-'].map((character) => key(character, () => character))}
    </div>
  );
}
