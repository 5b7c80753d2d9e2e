import type { ChatHandle } from '@agenthost/client';
import type { Turn } from '@agenthost/protocol';
import { CliError, EXIT, usageError } from '../process/exit.ts';
import { oneLine } from '../render/plain-text.ts';

/** The turns of a chat that an error names. */
const NAMED_TURNS = 5;

interface Named {
  readonly id: string;
  readonly message: Turn['message'];
}

/**
 * The id of the turn of a chat that was meant: `last`, an id, or a unique beginning of an id. Older turns are loaded as needed. Rejects with a
 * `CliError`.
 */
export async function chooseTurn(chat: ChatHandle, given: string): Promise<string> {
  for (;;) {
    const { turns, activeTurn } = chat.mirror.state;
    const all: Named[] = activeTurn === undefined ? turns : [...turns, activeTurn];
    const last = all.at(-1);
    if (given === 'last' && last !== undefined) return last.id;
    const exact = all.find(({ id }) => id === given);
    if (exact !== undefined) return exact.id;
    const [match, ...others] = given === '' ? [] : all.filter(({ id }) => id.startsWith(given));
    if (others.length > 0) throw usageError(`${others.length + 1} turns begin with ${oneLine(given)}`);
    if (match !== undefined) return match.id;
    if (!(await chat.mirror.fetchOlderTurns())) throw noTurn(given, all);
  }
}

function noTurn(given: string, all: readonly Named[]): CliError {
  if (all.length === 0) return new CliError(EXIT.error, 'the chat has no turn yet');
  const names = all
    .slice(-NAMED_TURNS)
    .map(({ id, message }) => `${oneLine(id).slice(0, 8)} (${oneLine(message.text, 40)})`);
  const text = `no turn is called ${oneLine(given) || '(nothing)'}; the last ones are ${names.join(', ')}`;
  return new CliError(EXIT.error, text);
}
