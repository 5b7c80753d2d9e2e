import { createSetting } from '../live/setting.ts';

/** Sizes of the page's text: the root font size in percent of the browser's own. */
export const PAGE_SIZES = { small: 90, normal: 100, large: 112.5, huge: 125 } as const;

/** Name of one of {@link PAGE_SIZES}. */
export type PageSize = keyof typeof PAGE_SIZES;

const read = (value: unknown): PageSize =>
  value === 'small' || value === 'large' || value === 'huge' ? value : 'normal';

/** The chosen size of the page's text, kept in this browser. */
export const pageSizeSetting = createSetting<PageSize>('fontSize', 'normal', read);

/** Applies the size to the document, and follows later changes. */
export function startFontSize(): void {
  const apply = (): void => {
    const size = pageSizeSetting.value;
    document.documentElement.style.fontSize = size === 'normal' ? '' : `${PAGE_SIZES[size]}%`;
  };
  apply();
  pageSizeSetting.onChange(apply);
}
