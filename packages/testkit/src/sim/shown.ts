import { contentText } from '@agenthost/client';
import { outputLength, type TerminalState } from '@agenthost/protocol';

/** Escape sequences for modes and the cursor, without text. They stay at the head of a terminal's content after a clear. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what terminals are told by.
const HEAD = /^(?:\u001b(?:\[[0-9;?]*[A-Za-z]|[78=>]))+/;

/**
 * The comparable form of a state. Of a terminal's content, keeps the output since the last clear as one text,
 * the total length of output, and the commands.
 */
export function shownBy(state: object): object {
  if (!isTerminal(state)) return state;
  const { content, 'x-trimmed': trimmed, ...rest } = state;
  const commands = content.filter(({ type }) => type === 'command');
  const putOut = trimmed && trimmed.units + outputLength(state);
  return { ...rest, commands, content: textShown(state), putOut };
}

/** The output of a program that a terminal shows. */
export const textShown = ({ content }: TerminalState): string => contentText(content).replace(HEAD, '');

const isTerminal = (state: object): state is TerminalState => 'claim' in state && 'content' in state;
