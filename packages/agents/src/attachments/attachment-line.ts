import type { Message, MessageAttachment, TextRange } from '@agenthost/protocol';

/** Longest quoted text of one attachment, in UTF-16 code units. */
const MAX_QUOTE_LENGTH = 64 * 1024;

/**
 * A range for people and models: `line 3` or `lines 3 to 5`, counted from 1. An end at the start of a line
 * does not include that line.
 */
export function linesOf({ start, end }: TextRange): string {
  const first = start.line + 1;
  const last = end.character === 0 && end.line > start.line ? end.line : end.line + 1;
  return last <= first ? `line ${first}` : `lines ${first} to ${last}`;
}

/** The text within a range, cut when it is very long. `undefined` when the text has no such line. */
export function quote(text: string, { start, end }: TextRange): string | undefined {
  const from = offsetOf(text, start);
  if (from === undefined) return undefined;
  const quoted = text.slice(from, offsetOf(text, end) ?? text.length);
  return quoted.length <= MAX_QUOTE_LENGTH ? quoted : `${quoted.slice(0, MAX_QUOTE_LENGTH)} …`;
}

/**
 * Lines end at LF. A character after the end of its line means that end. `undefined` when there is no such
 * line.
 */
function offsetOf(text: string, { line, character }: TextRange['start']): number | undefined {
  let offset = 0;
  for (let index = 0; index < line; index += 1) {
    const lineEnd = text.indexOf('\n', offset);
    if (lineEnd === -1) return undefined;
    offset = lineEnd + 1;
  }
  const lineEnd = text.indexOf('\n', offset);
  return Math.min(offset + character, lineEnd === -1 ? text.length : lineEnd);
}

/** Attachments of one message that are named. */
const MAX_NAMED = 20;

/**
 * The attachments of an earlier message in one short line, for an agent that has lost it. `undefined` when
 * there are none.
 */
export function attachmentLine({ attachments = [] }: Pick<Message, 'attachments'>): string | undefined {
  if (attachments.length === 0) return undefined;
  const named = attachments.slice(0, MAX_NAMED).map(nameOf);
  const rest = attachments.length - named.length;
  return `(Attached: ${named.join('; ')}${rest > 0 ? `; and ${rest} more` : ''})`;
}

function nameOf(attachment: MessageAttachment): string {
  const { label } = attachment;
  const details: string[] = [];
  if ('selection' in attachment && attachment.selection !== undefined)
    details.push(linesOf(attachment.selection.range));
  if ('uri' in attachment) details.push(attachment.uri);
  else if ('contentType' in attachment) details.push(attachment.contentType);
  else if (attachment.type === 'annotations') details.push('annotations');
  return details.length === 0 ? label : `${label}, ${details.join(', ')}`;
}
