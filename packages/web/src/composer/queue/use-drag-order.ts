import { type PointerEvent, type RefObject, useState } from 'react';
import { movedTo, placeAt } from './queue-order.ts';

/** Reorders a list by dragging. */
export interface DragOrder {
  /** The order while an entry is dragged. */
  readonly order: readonly string[] | undefined;
  readonly dragged: string | undefined;
  /** Handlers of the handle of an entry. */
  readonly handle: (id: string) => {
    readonly onPointerDown: (event: PointerEvent) => void;
    readonly onPointerMove: (event: PointerEvent) => void;
    readonly onPointerUp: () => void;
    readonly onPointerCancel: () => void;
  };
}

/** Reorders the children of `list`, which carry their id as `data-id`. `drop` gets the new order. */
export function useDragOrder(
  list: RefObject<HTMLElement | null>,
  ids: readonly string[],
  drop: (order: readonly string[]) => void,
): DragOrder {
  const [drag, setDrag] = useState<{ readonly id: string; readonly order: readonly string[] }>();
  const end = (isDropped: boolean): void => {
    if (drag === undefined) return;
    setDrag(undefined);
    const isMoved = drag.order.some((id, index) => id !== ids[index]);
    if (isDropped && isMoved) drop(drag.order);
  };
  return {
    order: drag?.order,
    dragged: drag?.id,
    handle: (id) => ({
      onPointerDown: (event) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        setDrag({ id, order: ids });
      },
      onPointerMove: (event) => {
        if (drag?.id !== id) return;
        const middles = Array.from(list.current?.children ?? []).flatMap((child) => {
          if (!(child instanceof HTMLElement) || child.dataset['id'] === id) return [];
          const { top, height } = child.getBoundingClientRect();
          return [top + height / 2];
        });
        const order = movedTo(drag.order, id, placeAt(middles, event.clientY));
        if (order !== drag.order) setDrag({ id, order });
      },
      onPointerUp: () => end(true),
      onPointerCancel: () => end(false),
    }),
  };
}
