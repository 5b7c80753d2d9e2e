import type { TerminalQuery } from './events.ts';

/** A mode as DECRPM reports it. Those that cannot be changed are the `always` ones. */
export type ModeState = 'unknown' | 'set' | 'reset' | 'alwaysSet' | 'alwaysReset';

/** Red, green and blue, 0 to 255 each. */
export type Rgb = readonly [red: number, green: number, blue: number];

/** The state of the screen right behind the query, as far as answers depend on it. */
export interface AnsweringScreen {
  /** From 1; in origin mode relative to the scroll region, as programs expect it. */
  readonly cursor: { readonly row: number; readonly column: number };
  readonly size: { readonly cols: number; readonly rows: number };
  /** DEC private modes (`CSI ? Ps h`) or ANSI modes. */
  mode(mode: number, isPrivate: boolean): ModeState;
  readonly look: ScreenLook;
  /** Version of this program; printable ASCII without parentheses. */
  readonly version: string;
}

/** Properties of a window. The host has none, so its answers are constant. */
export interface ScreenLook {
  readonly colors: { readonly foreground: Rgb; readonly background: Rgb; readonly cursor: Rgb };
  readonly cellPixels: { readonly width: number; readonly height: number };
}

/** Light on dark, so that programs pick colours that can be read on most screens. */
export const DEFAULT_LOOK: ScreenLook = {
  colors: { foreground: [0xd4, 0xd4, 0xd4], background: [0x1e, 0x1e, 0x1e], cursor: [0xd4, 0xd4, 0xd4] },
  cellPixels: { width: 9, height: 18 },
};

const ESC = '\x1b';
const CSI = `${ESC}[`;
const DCS = `${ESC}P`;
const ST = `${ESC}\\`;

const MODE_STATES = { unknown: 0, set: 1, reset: 2, alwaysSet: 3, alwaysReset: 4 } satisfies Record<
  ModeState,
  number
>;
const COLOR_NUMBERS = { foreground: 10, background: 11, cursor: 12 } as const;

/** Limit of a request that an answer repeats. Names of capabilities are short. */
const CAPABILITY_LIMIT = 256;

/**
 * Returns the answer of the terminal to a program's query [TERM-3]: that of xterm as a VT220 with colour. Every kind has an answer.
 *
 * No answer is itself a query, so an answer that is echoed as output causes no further answer. An answer repeats only numbers and
 * hexadecimal digits of the query, so a program cannot use it to type a command into a shell. Sources: xterm's "Control Sequences" (ctlseqs) by the
 * names given below; ECMA-48, 8.3.14 (CPR) and 8.3.35 (DSR).
 */
export function answerTo(query: TerminalQuery, screen: AnsweringScreen): string {
  switch (query.kind) {
    // "Send Device Attributes (Primary DA)": 62 is a VT220, 22 ANSI colour. No sixel, which not every client can draw.
    case 'primaryAttributes':
      return `${CSI}?62;22c`;
    // "Secondary DA": 0 is a VT100 (what xterm.js says), then a version of xterm that programs know by its features.
    case 'secondaryAttributes':
      return `${CSI}>0;276;0c`;
    // "Tertiary DA", DECRPTUI: xterm's unit id is zero as well.
    case 'tertiaryAttributes':
      return `${DCS}!|00000000${ST}`;
    // XTVERSION.
    case 'version':
      return `${DCS}>|agenthost(${screen.version})${ST}`;
    // DSR, "Status Report": OK.
    case 'status':
      return `${CSI}0n`;
    // CPR, and DECXCPR, which xterm answers without the page.
    case 'cursorPosition':
      return `${CSI}${query.isPrivate ? '?' : ''}${screen.cursor.row};${screen.cursor.column}R`;
    // DECRQM, answered by DECRPM.
    case 'mode': {
      const state = MODE_STATES[screen.mode(query.mode, query.isPrivate)];
      return `${CSI}${query.isPrivate ? '?' : ''}${query.mode};${state}$y`;
    }
    case 'size':
      return sizeAnswer(query.unit, screen);
    // "Change VT100 text foreground color" and the two that follow it, asked with `?`.
    case 'color':
      return `${ESC}]${COLOR_NUMBERS[query.of]};${colorName(screen.look.colors[query.of])}${
        query.terminator === 'bel' ? '\x07' : ST
      }`;
    // XTGETTCAP: 0 is an invalid request; programs tell by the names which one.
    case 'capability':
      return `${DCS}0+r${isHexadecimal(query.request) ? query.request : ''}${ST}`;
    // DECRQSS: 0 is an invalid request (DEC's manuals have the two numbers the other way round; xterm's are used here).
    case 'setting':
      return `${DCS}0$r${ST}`;
    default:
      return query satisfies never;
  }
}

/** XTWINOPS 14, 16 and 18: each is answered by its last digit, height first. */
function sizeAnswer(unit: 'cells' | 'pixels' | 'cellPixels', screen: AnsweringScreen): string {
  const { cols, rows } = screen.size;
  const { width, height } = screen.look.cellPixels;
  switch (unit) {
    case 'cells':
      return `${CSI}8;${rows};${cols}t`;
    case 'pixels':
      return `${CSI}4;${rows * height};${cols * width}t`;
    case 'cellPixels':
      return `${CSI}6;${height};${width}t`;
    default:
      return unit satisfies never;
  }
}

const isHexadecimal = (request: string): boolean =>
  request.length <= CAPABILITY_LIMIT && /^[0-9a-f;]*$/i.test(request);

/** X11's form, 16 bits a component. */
const colorName = (color: Rgb): string =>
  `rgb:${color.map((part) => part.toString(16).padStart(2, '0').repeat(2)).join('/')}`;
