import { visibleText } from '../text/visible-text.ts';

/** Longest message of a turn in a list, in UTF-16 code units. */
const MESSAGE_LENGTH = 60;

/** The beginning of a message, in one line. */
export const shortMessage = (message: string): string =>
  visibleText(message.replaceAll(/\s+/g, ' ').slice(0, MESSAGE_LENGTH));
