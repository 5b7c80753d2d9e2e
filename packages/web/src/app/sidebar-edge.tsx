import { type KeyboardEvent, type PointerEvent, useRef, useState } from 'react';
import { direction, text } from '../text/text.ts';
import { fittingWidth, SIDEBAR_PX } from './sidebar-settings.ts';

/** One press of an arrow key, in pixels. */
const STEP_PX = 24;

/** +1 where a pointer that moves to the right makes the column wider. */
const SIGN = direction === 'rtl' ? -1 : 1;

/** The edge of the column, by which a pointer or the arrow keys change its width. A double click restores the default width. */
export function SidebarEdge({
  widthPx,
  onChange,
}: {
  readonly widthPx: number;
  /** Called with each width; `isFinal`: the drag has ended. */
  readonly onChange: (widthPx: number, isFinal: boolean) => void;
}) {
  const start = useRef({ x: 0, widthPx: 0 });
  const [isDragging, setDragging] = useState(false);
  const widthAt = (event: PointerEvent): number =>
    fittingWidth(start.current.widthPx + SIGN * (event.clientX - start.current.x));
  const press = (event: KeyboardEvent): void => {
    const step = { ArrowRight: SIGN * STEP_PX, ArrowLeft: -SIGN * STEP_PX }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    onChange(fittingWidth(widthPx + step), true);
  };
  const end = (event: PointerEvent): void => {
    if (!isDragging) return;
    setDragging(false);
    onChange(widthAt(event), true);
  };
  return (
    // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a splitter takes keys, which <hr> does not
    <div
      role="separator"
      aria-orientation="vertical"
      aria-label={text.app.sidebarWidth}
      aria-valuemin={SIDEBAR_PX.least}
      aria-valuemax={SIDEBAR_PX.most}
      aria-valuenow={widthPx}
      tabIndex={0}
      className="absolute inset-y-0 -end-1 z-20 w-2 cursor-col-resize touch-none hover:bg-accent/20 focus-visible:bg-accent/40 data-dragging:bg-accent/30"
      data-dragging={isDragging ? '' : undefined}
      onKeyDown={press}
      onDoubleClick={() => onChange(SIDEBAR_PX.default, true)}
      onPointerDown={(event) => {
        event.preventDefault();
        event.currentTarget.setPointerCapture(event.pointerId);
        start.current = { x: event.clientX, widthPx };
        setDragging(true);
      }}
      onPointerMove={(event) => isDragging && onChange(widthAt(event), false)}
      onPointerUp={end}
      onPointerCancel={end}
    />
  );
}
