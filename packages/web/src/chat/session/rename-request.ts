import { Emitter } from '../../live/emitter.ts';

const requested = new Emitter();

/** Starts to edit the title of the session that is shown. */
export const requestRename = (): void => requested.emit();

/** Calls `listener` when a person wants to rename the session. Returns a function that removes it. */
export const onRenameRequested = (listener: () => void): (() => void) => requested.add(listener);
