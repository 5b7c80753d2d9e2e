import { createSetting } from '../live/setting.ts';

/** Longest name, in UTF-16 code units. */
export const MAX_PERSON_NAME = 60;

/** The name of the person at this browser, for other clients. Empty: none. New connections use it. */
export const personNameSetting = createSetting('name', '', (stored) =>
  typeof stored === 'string' ? stored.trim().slice(0, MAX_PERSON_NAME) : '',
);
