import { unseen } from './plain-text.ts';

/** What JSON leaves as it is and a terminal would obey, or show nothing for. */
const unsafe = new RegExp(`[\\u007f-\\u009f\\u2028\\u2029]|${unseen.source}`, 'gu');

/** A value as JSON without line breaks that is harmless on a terminal, too. */
export const harmlessJson = (value: unknown): string =>
  JSON.stringify(value).replace(unsafe, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );

/** The same with a line break behind it. */
export const jsonLine = (value: unknown): string => `${harmlessJson(value)}\n`;
