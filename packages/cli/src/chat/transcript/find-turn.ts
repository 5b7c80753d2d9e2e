import type { ActiveTurn, Turn } from '@agenthost/protocol';

/**
 * The newest turn whose message or answer has a text, in any case, before the turn with the id `before` (default: of all). `undefined`: none.
 */
export function findTurn<T extends Turn | ActiveTurn>(
  turns: readonly T[],
  text: string,
  before: string | undefined,
): T | undefined {
  const wanted = text.toLowerCase();
  const at = turns.findIndex(({ id }) => id === before);
  const searched = at < 0 ? turns : turns.slice(0, at);
  return searched.findLast((turn) => textOf(turn).toLowerCase().includes(wanted));
}

const textOf = ({ message, responseParts }: Turn | ActiveTurn): string =>
  [message.text, ...responseParts.flatMap((part) => (part.kind === 'markdown' ? [part.content] : []))].join(
    '\n',
  );
