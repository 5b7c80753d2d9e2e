import type { ActiveTurn, Turn, URI } from '@agenthost/protocol';

/** What a turn answered, as Markdown. */
export const answerOf = ({ responseParts }: Turn | ActiveTurn): string =>
  responseParts
    .flatMap((part) => (part.kind === 'markdown' ? [part.content] : []))
    .join('\n\n')
    .trim();

/** The last worker chat that a turn started; `undefined`: none. */
export function workerOf({ responseParts }: Turn | ActiveTurn): URI | undefined {
  for (const part of responseParts.toReversed()) {
    if (part.kind !== 'toolCall' || !('content' in part.toolCall)) continue;
    const worker = part.toolCall.content?.findLast((content) => content.type === 'subagent');
    if (worker !== undefined) return worker.resource;
  }
  return undefined;
}
