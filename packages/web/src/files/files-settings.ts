import { createSetting } from '../live/setting.ts';

/** Whether the tree of files has those whose names begin with a dot, kept in this browser. */
export const hiddenSetting = createSetting<boolean>('files-hidden', false, (value) => value === true);

/** Whether the tree of files has those that `.gitignore` names, kept in this browser. */
export const ignoredSetting = createSetting<boolean>('files-ignored', false, (value) => value === true);
