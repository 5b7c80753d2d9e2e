import { useSyncExternalStore } from 'react';
import { Emitter } from '../live/emitter.ts';

/** A dialog of the palette. */
export type PaletteDialog = 'palette' | 'help';

const changed = new Emitter();
let open: PaletteDialog | undefined;

function set(next: PaletteDialog | undefined): void {
  open = next;
  changed.emit();
}

/** Opens the command palette. */
export const showPalette = (): void => set('palette');

/** Opens the list of keyboard shortcuts. */
export const showHelp = (): void => set('help');

/** Closes the open dialog of the palette. */
export const closePalette = (): void => set(undefined);

/** The open dialog; `undefined`: none. */
export const usePaletteDialog = (): PaletteDialog | undefined =>
  useSyncExternalStore(changed.add, () => open);
