import { type CSSProperties, memo } from 'react';
import { classes } from '../ui/class-names.ts';
import type { AnsiColor, AnsiStyle } from './ansi/ansi-style.ts';
import type { AnsiLine } from './ansi/line-screen.ts';
import './terminal.css';

/** Lines of output with their colours. */
export const AnsiLines = memo(function AnsiLines({ lines }: { readonly lines: readonly AnsiLine[] }) {
  return lines.map((line, index) => (
    // oxlint-disable-next-line react/no-array-index-key -- lines have no identity
    <div key={index} dir="ltr" className="min-h-[1.4em]">
      {line.map(({ text, style }, at) => (
        // oxlint-disable-next-line react/no-array-index-key -- spans have no identity
        <span key={at} className={classesOf(style)} style={colorsOf(style)}>
          {text}
        </span>
      ))}
    </div>
  ));
});

const colorOf = (color: AnsiColor | undefined): string | undefined =>
  typeof color === 'number' ? `var(--t-${color})` : color;

function colorsOf({ foreground, background, isInverse }: AnsiStyle): CSSProperties | undefined {
  if (foreground === undefined && background === undefined && isInverse !== true) return undefined;
  const color = colorOf(foreground);
  const backgroundColor = colorOf(background);
  if (isInverse !== true) return { color, backgroundColor };
  return { color: backgroundColor ?? 'var(--c-sunken)', backgroundColor: color ?? 'var(--c-text)' };
}

const classesOf = ({ isBold, isDim, isItalic, isUnderlined, isStruck, isHidden }: AnsiStyle): string =>
  classes(
    isBold === true && 'font-bold',
    isDim === true && 'opacity-70',
    isItalic === true && 'italic',
    isUnderlined === true && 'underline',
    isStruck === true && 'line-through',
    isHidden === true && 'text-transparent',
  );
