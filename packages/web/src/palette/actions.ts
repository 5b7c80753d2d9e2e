import { useEffect, useRef, useSyncExternalStore } from 'react';
import { Emitter } from '../live/emitter.ts';
import { isApple, keyLabel } from './keys.ts';

/** Something that the palette and a keyboard shortcut can do while a view is shown. */
export interface Action {
  /** Unique; of two actions with one id the one that came later counts. */
  readonly id: string;
  readonly label: string;
  /** Such as `mod+k` or `/`; see `matchesKeys`. Absent: only the palette has it. */
  readonly keys?: string;
  /** Where the help lists it. Default `view`. */
  readonly place?: 'everywhere' | 'view';
  /** True: the palette does not list it, because it makes no sense from there. */
  readonly isKeyOnly?: boolean;
  readonly run: () => void;
}

const changed = new Emitter();
let actions: readonly Action[] = [];

/** The actions of the present view and of the page. */
export const presentActions = (): readonly Action[] => actions;

/** Offers an action while the component is mounted; nothing for `undefined`. `run` may be another function at each render. */
export function useAction(action: Action | undefined): void {
  const latest = useRef(action);
  useEffect(() => {
    latest.current = action;
  });
  const { id, label, keys, place, isKeyOnly } = action ?? {};
  useEffect(() => {
    if (id === undefined || label === undefined) return undefined;
    const registered: Action = {
      id,
      label,
      ...(keys === undefined ? {} : { keys }),
      ...(place === undefined ? {} : { place }),
      ...(isKeyOnly === undefined ? {} : { isKeyOnly }),
      run: () => latest.current?.run(),
    };
    actions = [...actions, registered];
    changed.emit();
    return () => {
      actions = actions.filter((each) => each !== registered);
      changed.emit();
    };
  }, [id, label, keys, place, isKeyOnly]);
}

/** All actions that are offered now, without those that a later one of the same id replaces. */
export function useActions(): readonly Action[] {
  const present = useSyncExternalStore(changed.add, presentActions);
  return Array.from(new Map(present.map((action) => [action.id, action])).values());
}

const apple = isApple(navigator.platform);

/** A shortcut as this device writes it. */
export const shownKeys = (keys: string): string => keyLabel(keys, apple);
