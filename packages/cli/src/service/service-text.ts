import { usageError } from '../process/exit.ts';
import { oneLine } from '../render/plain-text.ts';

/** Whether a text has characters that the file of a service cannot hold: control characters, other than the tab. */
export const isUnfit = (text: string): boolean => /[^\t\P{Cc}]/u.test(text);

/** Returns an argument or a path for the file of a service. Throws a usage error for one with a line break, which would start another setting there. */
export function serviceText(text: string): string {
  if (!isUnfit(text)) return text;
  throw usageError(
    `a service takes no arguments or paths with line breaks or other control characters, got ${oneLine(JSON.stringify(text))}`,
  );
}
