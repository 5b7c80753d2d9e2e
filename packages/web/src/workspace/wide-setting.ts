import { createSetting } from '../live/setting.ts';

/** Whether the workspace takes the place of the chat on a wide screen too, kept in this browser. */
export const wideSetting = createSetting<boolean>('workspace-alone', false, (value) => value === true);
