import type { Message, MessageAttachment } from '@agenthost/protocol';
import { linesOf } from './quote.ts';

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
