import type { Terminal } from '@xterm/xterm';

/**
 * Scrolls an emulator by dragging with one or two fingers. Full-screen programs and programs that want the mouse get wheel events. Returns a
 * function that stops it.
 */
export function scrollByTouch(
  element: HTMLElement,
  terminal: Terminal,
  cellHeight: () => number,
): () => void {
  let lastY: number | undefined;
  let rest = 0;
  const start = (event: TouchEvent): void => {
    lastY = event.touches[0]?.clientY;
    rest = 0;
  };
  const move = (event: TouchEvent): void => {
    const touch = event.touches[0];
    if (touch === undefined || lastY === undefined) return;
    rest += lastY - touch.clientY;
    lastY = touch.clientY;
    const lines = Math.trunc(rest / cellHeight());
    if (event.cancelable) event.preventDefault();
    if (lines === 0) return;
    rest -= lines * cellHeight();
    scroll(terminal, element, lines, touch);
  };
  element.addEventListener('touchstart', start, { passive: true });
  element.addEventListener('touchmove', move, { passive: false });
  return () => {
    element.removeEventListener('touchstart', start);
    element.removeEventListener('touchmove', move);
  };
}

function scroll(terminal: Terminal, element: HTMLElement, lines: number, { clientX, clientY }: Touch): void {
  const isPlain = terminal.buffer.active.type === 'normal' && terminal.modes.mouseTrackingMode === 'none';
  if (isPlain) return terminal.scrollLines(lines);
  for (let index = 0; index < Math.abs(lines); index++) {
    element.querySelector('.xterm-screen')?.dispatchEvent(
      new WheelEvent('wheel', {
        deltaY: Math.sign(lines),
        deltaMode: WheelEvent.DOM_DELTA_LINE,
        clientX,
        clientY,
        bubbles: true,
        cancelable: true,
      }),
    );
  }
}
