import type { Message } from '@agenthost/protocol';

/** The text of a message that waits, or the names of its attachments when it has no text. */
export const pendingText = ({ text, attachments = [] }: Message): string =>
  text.trim() === '' ? attachments.map(({ label }) => label).join(', ') : text;
