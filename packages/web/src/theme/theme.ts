import { createSetting } from '../live/setting.ts';

/** Colours of the page. `system`: those of the device. */
export type ThemeChoice = 'system' | 'light' | 'dark';

/** Contrast of the page. `system`: that of the device. */
export type ContrastChoice = 'system' | 'more';

/** The chosen colours, kept in this browser. */
export const themeSetting = createSetting<ThemeChoice>('theme', 'system', (value) =>
  value === 'light' || value === 'dark' ? value : 'system',
);

/** The chosen contrast, kept in this browser. */
export const contrastSetting = createSetting<ContrastChoice>('contrast', 'system', (value) =>
  value === 'more' ? 'more' : 'system',
);

const darkQuery = matchMedia('(prefers-color-scheme: dark)');
const contrastQuery = matchMedia('(prefers-contrast: more)');

/** Whether the page is dark now. */
export function isDark(): boolean {
  const choice = themeSetting.value;
  return choice === 'system' ? darkQuery.matches : choice === 'dark';
}

/** Applies the theme to the document, and follows later changes. */
export function startTheme(): void {
  const apply = (): void => {
    const { classList } = document.documentElement;
    classList.toggle('dark', isDark());
    classList.toggle('high-contrast', contrastSetting.value === 'more' || contrastQuery.matches);
  };
  apply();
  themeSetting.onChange(apply);
  contrastSetting.onChange(apply);
  darkQuery.addEventListener('change', apply);
  contrastQuery.addEventListener('change', apply);
}
