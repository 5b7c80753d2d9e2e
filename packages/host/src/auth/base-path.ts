/** A longer path does not fit the cookie and the addresses of pages. */
const MAX_LENGTH = 200;

/** Whether a text is a base path: segments of letters, digits and `-._~`, each after a `/`, without a slash at the end. */
export const isBasePath = (text: string): boolean =>
  text.length <= MAX_LENGTH && /^(?:\/(?!\.{1,2}(?:\/|$))[\w.~-]+)+$/.test(text);
