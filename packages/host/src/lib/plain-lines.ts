import { cutText } from '@agenthost/protocol';

/**
 * Complete escape sequences: control sequences, strings for the terminal with their end, and others. An
 * incomplete one ends with its line.
 */
const SEQUENCES =
  /(?:\u001b\[|\u009b)[ -?]*[@-~]?|(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])\P{Cc}*(?:\u001b\\?|\p{Cc})?|\u001b[ -/]*[0-~]?/gu;

/** The lines that have content, without escape sequences, control and format characters. */
export function* plainLines(lines: Iterable<string>): Generator<string, undefined> {
  for (const each of lines) {
    const line = each
      .replace(SEQUENCES, '')
      .replace(/[\p{Cc}\p{Cf}]+/gu, ' ')
      .replace(/\s+/g, ' ')
      .trim();
    if (line !== '') yield line;
  }
  return undefined;
}

/** Characters in which a line is searched, since texts of agents may be megabytes long. */
const LOOKED_AT = 8_192;

/** The first line with content, cut to `max` characters. '' if there is none. */
export const firstLine = (text: string, max: number): string =>
  cutText(plainLines(text.slice(0, LOOKED_AT).split('\n')).next().value ?? '', max);

/** The last line with content. '' if there is none. */
export function lastLine(text: string, max: number): string {
  const lines = text.slice(-LOOKED_AT).split('\n').toReversed();
  return cutText(plainLines(lines).next().value ?? '', max);
}
