import { createSetting } from '../live/setting.ts';

/** Widths of the column with the sessions, in pixels. */
export const SIDEBAR_PX = { least: 220, default: 300, most: 560 } as const;

/** The column with the sessions, kept in this browser. */
export interface SidebarState {
  readonly isOpen: boolean;
  readonly widthPx: number;
}

/** A width within the limits. */
export const fittingWidth = (widthPx: number): number =>
  Math.min(SIDEBAR_PX.most, Math.max(SIDEBAR_PX.least, Math.round(widthPx)));

/** Whether the column with the sessions is shown, and its width. */
export const sidebarSetting = createSetting<SidebarState>(
  'sidebar',
  { isOpen: true, widthPx: SIDEBAR_PX.default },
  (stored) => {
    const { isOpen, widthPx }: Partial<Record<string, unknown>> = { ...Object(stored) };
    return {
      isOpen: isOpen !== false,
      widthPx: typeof widthPx === 'number' ? fittingWidth(widthPx) : SIDEBAR_PX.default,
    };
  },
);

/** Shows or hides the column with the sessions. */
export function toggleSidebar(): void {
  const { value } = sidebarSetting;
  sidebarSetting.set({ ...value, isOpen: !value.isOpen });
}
