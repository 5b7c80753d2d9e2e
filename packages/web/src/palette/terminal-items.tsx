import type { RootState, TerminalInfo, URI } from '@agenthost/protocol';
import { SquareTerminal } from 'lucide-react';
import type { HostLink } from '../live/host-link.ts';
import { useRootPart } from '../live/use-live.ts';
import { text } from '../text/text.ts';
import { SafeText } from '../ui/safe-text.tsx';
import { Group, Item } from './palette-items.tsx';

/** Terminals of one host that the palette shows at once. */
const MOST_TERMINALS = 8;

const NONE: readonly TerminalInfo[] = [];
const terminalsOf = ({ terminals }: RootState): readonly TerminalInfo[] => terminals ?? NONE;

/** The terminals of a host whose title has all words; none before a word is typed. */
export function TerminalItems({
  link,
  words,
  onSelect,
}: {
  readonly link: HostLink;
  readonly words: readonly string[];
  readonly onSelect: (terminal: URI) => void;
}) {
  const terminals = useRootPart(link, terminalsOf, NONE);
  const found = terminals
    .filter(({ title }) => words.length > 0 && words.every((word) => title.toLowerCase().includes(word)))
    .slice(0, MOST_TERMINALS);
  return (
    <Group heading={text.palette.terminals}>
      {found.map(({ resource, title }) => (
        <Item
          key={resource}
          value={`terminal ${link.address.id} ${resource}`}
          onSelect={() => onSelect(resource)}
        >
          <SquareTerminal className="size-4 text-faint" aria-hidden />
          <span className="min-w-0 flex-1 truncate">
            <SafeText>{title}</SafeText>
          </span>
        </Item>
      ))}
    </Group>
  );
}
