import { isDeepStrictEqual } from 'node:util';
import type { Message, MessageAttachment } from '@agenthost/protocol';
import { oneLine } from '../../render/plain-text.ts';
import { type Line, span } from '../text/line.ts';

/**
 * `earlier` with another text, as the person's own message: all else stays, `added` comes behind its attachments. Where former attachments
 * stood in the text goes with the text.
 */
export function rewritten(
  earlier: Message | undefined,
  text: string,
  added: readonly MessageAttachment[] = [],
): Message {
  const { attachments: former = [], ...rest } = earlier ?? { text: '' };
  const news = added.map(placeless);
  const kept = former
    .map((attachment) => (text === earlier?.text ? attachment : placeless(attachment)))
    .filter((attachment) => !news.some((other) => isDeepStrictEqual(other, placeless(attachment))));
  const attachments = [...kept, ...added];
  return {
    ...rest,
    text,
    origin: { kind: 'user' },
    ...(attachments.length === 0 ? {} : { attachments }),
  };
}

const placeless = ({ range: _, ...attachment }: MessageAttachment): MessageAttachment => attachment;

/** Whether there is something in a message besides its text. */
export const carriesMore = ({ attachments = [], model, agent }: Message): boolean =>
  attachments.length > 0 || model !== undefined || agent !== undefined;

/** What goes along with the text of a message in the making, for the line above it. */
export function carriedLine(message: Message | undefined): Line {
  const { attachments = [], model, agent } = message ?? {};
  const said = [
    ...attachments.map(({ label }) => `+ ${oneLine(label, 60)}`),
    ...(model === undefined ? [] : [`model ${oneLine(model.id, 40)}`]),
    ...(agent === undefined ? [] : [`agent ${oneLine(agent.uri, 60)}`]),
  ];
  return said.length === 0 ? [] : [span(said.join('  '), { color: 'yellow' })];
}
