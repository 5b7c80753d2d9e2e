import type { ITheme } from '@xterm/xterm';

/** Options of an emulator that follow the theme of the page. */
export interface ScreenTheme {
  readonly theme: ITheme;
  /** WCAG contrast between text and background that the emulator keeps by changing the colour of the text. */
  readonly minimumContrastRatio: number;
}

/** The present theme of the page, for the emulator. */
export function screenTheme(): ScreenTheme {
  const root = document.documentElement;
  const tokens = getComputedStyle(root);
  const token = (name: string): string => tokens.getPropertyValue(name).trim();
  const color = (index: number): string => token(`--t-${index}`);
  return {
    theme: {
      foreground: token('--c-text'),
      background: token('--c-sunken'),
      cursor: token('--c-text'),
      cursorAccent: token('--c-sunken'),
      selectionBackground: `${token('--c-accent')}55`,
      scrollbarSliderBackground: `${token('--c-muted')}40`,
      scrollbarSliderHoverBackground: `${token('--c-muted')}70`,
      scrollbarSliderActiveBackground: `${token('--c-muted')}90`,
      black: color(0),
      red: color(1),
      green: color(2),
      yellow: color(3),
      blue: color(4),
      magenta: color(5),
      cyan: color(6),
      white: color(7),
      brightBlack: color(8),
      brightRed: color(9),
      brightGreen: color(10),
      brightYellow: color(11),
      brightBlue: color(12),
      brightMagenta: color(13),
      brightCyan: color(14),
      brightWhite: color(15),
    },
    minimumContrastRatio: root.classList.contains('high-contrast') ? 7 : 4.5,
  };
}

/** Calls `listener` after the theme of the page changed. Returns a function that removes it. */
export function onThemeChange(listener: () => void): () => void {
  const observer = new MutationObserver(listener);
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ['class'] });
  return () => observer.disconnect();
}
