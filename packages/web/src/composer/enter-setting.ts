import { createSetting } from '../live/setting.ts';

/** What Enter does in the message field. `device`: it breaks lines on touch screens, and sends elsewhere. */
export type EnterChoice = 'device' | 'sends' | 'breaks';

/** The chosen meaning of Enter, kept in this browser. */
export const enterSetting = createSetting<EnterChoice>('enter', 'device', (value) =>
  value === 'sends' || value === 'breaks' ? value : 'device',
);

/** Whether Enter breaks the line now. */
export function doesEnterBreak(): boolean {
  const choice = enterSetting.value;
  return choice === 'device' ? window.matchMedia('(pointer: coarse)').matches : choice === 'breaks';
}
