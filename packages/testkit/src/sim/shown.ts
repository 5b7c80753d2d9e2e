import { contentText } from '@agenthost/client';
import type { ChannelKind, ChannelState, TerminalState } from '@agenthost/protocol';

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
  const output = content.slice(trimmed?.isFolded === true ? 1 : 0);
  const outputLength = trimmed && trimmed.units + contentText(output).length;
  return { ...rest, commands, content: contentText(content).replace(HEAD, ''), outputLength };
}

const isTerminal = (state: object): state is TerminalState => 'claim' in state;
