import { contentText } from '@agenthost/client';
import { type ChannelKind, type ChannelState, outputLength, type TerminalState } from '@agenthost/protocol';

/** Modes and place of the cursor, without text: what is left at the head of a terminal's content after it was cleared. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what terminals are told by.
const HEAD = /^(?:\u001b(?:\[[0-9;?]*[A-Za-z]|[78=>]))+/;

/**
 * A state as it is judged: terminals by what was put out since they were cleared, however it is parted, by how much was put out in all,
 * and by what was run.
 */
export function shownBy(state: ChannelState[ChannelKind]): object {
  if (!isTerminal(state)) return state;
  const { content, 'x-trimmed': trimmed, ...rest } = state;
  const commands = content.filter(({ type }) => type === 'command');
  const putOut = trimmed && trimmed.units + outputLength(state);
  return { ...rest, commands, content: textShown(state), putOut };
}

/** What a terminal shows of its program's output. */
export const textShown = ({ content }: TerminalState): string => contentText(content).replace(HEAD, '');

const isTerminal = (state: object): state is TerminalState => 'claim' in state;
