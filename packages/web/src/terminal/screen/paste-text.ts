const PASTE_START = '\u001b[200~';
const PASTE_END = '\u001b[201~';

// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;

/** Whether a program may run a line of the pasted text before the person has seen it. */
export const needsConfirmation = (text: string, isBracketed: boolean): boolean =>
  !isBracketed && /[\r\n]./s.test(text);

/**
 * Pasted text as keys. Line ends become Return. Control characters are removed: they would act as keys, and could end a bracketed paste early.
 */
export function pastedKeys(text: string, isBracketed: boolean): string {
  const keys = text.replace(CONTROL, '').replace(/\r?\n/g, '\r');
  return isBracketed ? PASTE_START + keys + PASTE_END : keys;
}
