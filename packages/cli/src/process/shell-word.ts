/** A word as a shell takes it. */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./[\]-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
