import { FitAddon } from '@xterm/addon-fit';
import { Unicode11Addon } from '@xterm/addon-unicode11';
import { type ITerminalOptions, Terminal } from '@xterm/xterm';
import { allowSpanStyles, withStyleNonce } from './allow-styles.ts';
import { linkProvider } from './link-provider.ts';
import { muteReplies } from './mute-replies.ts';
import { onThemeChange, screenTheme } from './screen-theme.ts';
import { drawByWebgl } from './webgl.ts';
import '@xterm/xterm/css/xterm.css';
import '../terminal.css';

/** Lines above the screen. */
const SCROLLBACK_LINES = 20_000;

const FONT =
  'ui-monospace, "SFMono-Regular", "JetBrains Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace';

/** Size in characters and lines. */
export interface ScreenSize {
  readonly cols: number;
  readonly rows: number;
}

/** Events of an emulator. */
export interface EmulatorEvents {
  /** Keys, pasted text and mouse reports for the program. */
  onKeys(text: string): void;
  onBell(): void;
  onLink(url: string): void;
}

/** Settings of a new emulator. */
export interface EmulatorSettings extends ScreenSize {
  /** Pixels. */
  readonly fontSize: number;
  readonly hasScreenReader: boolean;
  /** Name for screen readers. */
  readonly label: string;
}

/** The emulator of one visible screen: xterm with the theme of the page, that answers no queries. */
export class Emulator {
  readonly terminal: Terminal;
  readonly #fit = new FitAddon();
  readonly #label: string;
  readonly #undo: (() => void)[] = [];
  #stopWebgl: (() => void) | undefined;

  constructor({ fontSize, hasScreenReader, label, cols, rows }: EmulatorSettings, events: EmulatorEvents) {
    allowSpanStyles();
    this.#label = label;
    this.terminal = new Terminal({
      ...screenTheme(),
      cols,
      rows,
      allowProposedApi: true,
      convertEol: false,
      cursorBlink: false,
      drawBoldTextInBrightColors: false,
      fontFamily: FONT,
      fontSize,
      linkHandler: { activate: (_, url) => events.onLink(url) },
      logLevel: 'off',
      macOptionIsMeta: true,
      rescaleOverlappingGlyphs: true,
      screenReaderMode: hasScreenReader,
      scrollback: SCROLLBACK_LINES,
    });
    this.terminal.loadAddon(this.#fit);
    this.terminal.loadAddon(new Unicode11Addon());
    this.terminal.unicode.activeVersion = '11';
    muteReplies(this.terminal.parser);
    this.terminal.onData((text) => events.onKeys(text));
    // Old mouse protocols report by bytes. Those above ASCII have no form in UTF-8.
    this.terminal.onBinary((bytes) => /^[\u0000-\u007f]*$/.test(bytes) && events.onKeys(bytes));
    this.terminal.onBell(() => events.onBell());
    this.terminal.registerLinkProvider(linkProvider(this.terminal, (url) => events.onLink(url)));
    this.#undo.push(onThemeChange(() => this.#set(screenTheme())));
  }

  /** Shows the emulator in an element of the page. */
  open(parent: HTMLElement): void {
    withStyleNonce(() => this.terminal.open(parent));
    this.terminal.textarea?.setAttribute('aria-label', this.#label);
    this.#undo.push(this.#followVisibility(parent));
  }

  /** Size of a cell in pixels. */
  get cell(): { readonly width: number; readonly height: number } {
    const screen = this.terminal.element?.querySelector('.xterm-screen');
    const { width = 0, height = 0 } = screen?.getBoundingClientRect() ?? {};
    return { width: width / this.terminal.cols, height: height / this.terminal.rows };
  }

  /** Size that fills the parent element; `undefined` while that cannot be seen. */
  get fittingSize(): ScreenSize | undefined {
    const size = this.#fit.proposeDimensions();
    return size !== undefined && Number.isFinite(size.cols) && Number.isFinite(size.rows) ? size : undefined;
  }

  resize({ cols, rows }: ScreenSize): void {
    if (cols !== this.terminal.cols || rows !== this.terminal.rows) this.terminal.resize(cols, rows);
  }

  /** Changes the size of the font, in pixels. */
  setFontSize(fontSize: number): void {
    if (this.terminal.options.fontSize !== fontSize) this.#set({ fontSize });
  }

  setScreenReader(hasScreenReader: boolean): void {
    this.#set({ screenReaderMode: hasScreenReader });
  }

  dispose(): void {
    for (const undo of this.#undo.splice(0)) undo();
    this.#stopWebgl?.();
    this.terminal.dispose();
  }

  #set(options: Partial<ITerminalOptions>): void {
    Object.assign(this.terminal.options, options);
  }

  /** Holds a WebGL context only while the screen can be seen. */
  #followVisibility(element: HTMLElement): () => void {
    const observer = new IntersectionObserver((entries) => {
      const isVisible = entries.at(-1)?.isIntersecting === true;
      if (isVisible) this.#stopWebgl ??= drawByWebgl(this.terminal);
      else {
        this.#stopWebgl?.();
        this.#stopWebgl = undefined;
      }
    });
    observer.observe(element);
    return () => observer.disconnect();
  }
}
