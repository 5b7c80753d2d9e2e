import type { Message } from '@agenthost/protocol';

/** A message of the person, from its text or as it is. */
export const asMessage = (message: string | Message): Message =>
  typeof message === 'string' ? { text: message, origin: { kind: 'user' } } : message;

/** An earlier message with another text, if one is given; whole with another message. Attachments stay, their places in the text go. */
export function edited(earlier: Message, change: string | Message | undefined): Message {
  if (change === undefined) return earlier;
  if (typeof change !== 'string') return change;
  const { attachments, ...rest } = earlier;
  return {
    ...rest,
    text: change,
    origin: { kind: 'user' },
    ...(attachments === undefined ? {} : { attachments: attachments.map(({ range: _, ...kept }) => kept) }),
  };
}
