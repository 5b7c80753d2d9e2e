import { createSetting } from '../live/setting.ts';

/** Least and largest size of the font, in pixels. */
export const FONT_SIZES = { least: 8, usual: 13, largest: 24 } as const;

/** Size of the font in terminals, in pixels. */
export const fontSizeSetting = createSetting<number>('terminal.fontSize', FONT_SIZES.usual, (stored) =>
  typeof stored === 'number' && stored >= FONT_SIZES.least && stored <= FONT_SIZES.largest
    ? stored
    : FONT_SIZES.usual,
);

/** Whether terminals describe their lines for screen readers. It makes much output slower. */
export const screenReaderSetting = createSetting<boolean>(
  'terminal.screenReader',
  false,
  (stored) => stored === true,
);
