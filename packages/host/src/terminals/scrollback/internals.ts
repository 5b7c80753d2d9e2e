import type { IBufferCell, Terminal } from '@xterm/headless';

/**
 * What the emulator's public interface does not tell and a faithful copy needs: attributes in full, saved cursors, scroll
 * regions, tab stops, charsets. Read here alone; the emulator's version is pinned, and `emulatorCore` checks what it reads.
 */
export interface EmulatorCore {
  readonly buffers: { readonly normal: CoreBuffer; readonly alt: CoreBuffer };
  readonly _inputHandler: {
    readonly _curAttrData: Attributes;
    eraseInDisplay(params: { readonly params: readonly number[]; readonly length: number }): boolean;
  };
  /** Takes text in at once; what it throws comes to the caller and not out of a timer. */
  writeSync(text: string): void;
  readonly _charsetService: {
    readonly charset: Charset | undefined;
    readonly glevel: number;
    readonly _charsets: readonly (Charset | undefined)[];
  };
  readonly _oscLinkService: {
    getLinkData(id: number): { readonly id?: string; readonly uri: string } | undefined;
  };
  readonly coreService: {
    readonly isCursorHidden: boolean;
    readonly decPrivateModes: {
      readonly cursorStyle: 'block' | 'underline' | 'bar' | undefined;
      readonly cursorBlink: boolean | undefined;
    };
  };
  readonly coreMouseService: { readonly activeEncoding: string };
}

/** One of the two screens. Rows count from `ybase` but for `savedY`, which is absolute. */
export interface CoreBuffer {
  readonly ybase: number;
  readonly scrollTop: number;
  readonly scrollBottom: number;
  readonly savedX: number;
  readonly savedY: number;
  readonly savedCurAttrData: Attributes;
  readonly savedCharset: Charset | undefined;
  readonly tabs: Readonly<Record<number, boolean>>;
}

/** Which characters stand for which; `undefined` where one appears: ASCII. */
export type Charset = Readonly<Record<string, string>>;

/** Colours and flags of a cell, packed as the emulator packs them. */
export interface Attributes {
  readonly fg: number;
  readonly bg: number;
  /** Left over from another cell unless `bg` says that there is one. */
  readonly extended: { readonly ext: number; readonly urlId: number };
}

/** A cell with its attributes. */
export type Cell = IBufferCell & Attributes;

/** The inside of an emulator. Throws when it is not what it is known to be. */
export function emulatorCore(terminal: Terminal): EmulatorCore {
  const core: unknown = Reflect.get(terminal, '_core');
  if (!isCore(core))
    throw new Error('The terminal emulator is not of the version that its state is read from.');
  return core;
}

/** A cell to load others into. Throws when cells are not what they are known to be. */
export function emptyCell(terminal: Terminal): Cell {
  const cell = terminal.buffer.active.getNullCell();
  if (!isCell(cell))
    throw new Error('The terminal emulator is not of the version that its cells are read from.');
  return cell;
}

const isCell = (cell: IBufferCell): cell is Cell => 'fg' in cell && 'bg' in cell && 'extended' in cell;

const PATHS = [
  ['buffers', 'normal', 'savedCurAttrData', 'extended'],
  ['buffers', 'alt', 'tabs'],
  ['buffers', 'alt', 'scrollTop'],
  ['_inputHandler', '_curAttrData', 'extended'],
  ['_inputHandler', 'eraseInDisplay'],
  ['writeSync'],
  ['_charsetService', '_charsets'],
  ['_charsetService', 'glevel'],
  ['_oscLinkService', 'getLinkData'],
  ['coreService', 'isCursorHidden'],
  ['coreService', 'decPrivateModes'],
  ['coreMouseService', 'activeEncoding'],
] as const;

const isCore = (core: unknown): core is EmulatorCore =>
  PATHS.every((path) => {
    let value: unknown = core;
    for (const name of path) {
      if (typeof value !== 'object' || value === null || !(name in value)) return false;
      value = Reflect.get(value, name);
    }
    return value !== undefined;
  });
