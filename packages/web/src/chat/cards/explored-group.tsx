import { Telescope } from 'lucide-react';
import { text } from '../../text/text.ts';
import { useTurnPart } from '../transcript/use-part.ts';
import { useRemembered } from '../use-remembered.ts';
import { cardKindOf } from './card-kind.ts';
import { CardShell } from './card-shell.tsx';
import { ToolCard } from './tool-card.tsx';

interface ExploredGroupProps {
  readonly turnId: string;
  readonly index: number;
  readonly lastIndex: number;
}

/** Finished reads and searches that follow each other, as one card. */
export function ExploredGroup({ turnId, index, lastIndex }: ExploredGroupProps) {
  const parts = useTurnPart(turnId, (turn) => turn?.responseParts);
  const [isOpen, setOpen] = useRemembered(`${turnId} ${index}`, false);
  const toolCalls = (parts ?? [])
    .slice(index, lastIndex + 1)
    .flatMap((part) => (part.kind === 'toolCall' ? [part.toolCall] : []));
  const searches = toolCalls.filter((toolCall) => cardKindOf(toolCall) === 'search').length;
  return (
    <CardShell
      icon={<Telescope className="size-4" aria-hidden />}
      title={text.chat.explored(toolCalls.length - searches, searches)}
      isOpen={isOpen}
      onToggle={setOpen}
    >
      <div className="-my-1">
        {toolCalls.map((toolCall) => (
          <ToolCard key={toolCall.toolCallId} toolCall={toolCall} turnId={turnId} />
        ))}
      </div>
    </CardShell>
  );
}
