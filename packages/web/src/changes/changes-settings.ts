import { createSetting } from '../live/setting.ts';

const isTrue = (value: unknown): boolean => value === true;

/** Whether diffs ignore white space, kept in this browser. */
export const whitespaceSetting = createSetting<boolean>('diff-ignores-whitespace', false, isTrue);

/** Whether long lines of unified diffs and files are wrapped, kept in this browser. */
export const wrapSetting = createSetting<boolean>('diff-wraps', true, (value) => value !== false);
