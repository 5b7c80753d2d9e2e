import { createSetting } from '../../live/setting.ts';

/** Whether diffs show both versions side by side, kept in this browser. */
export const splitSetting = createSetting<boolean>('diff-split', false, (value) => value === true);
