import { textOf } from '@agenthost/protocol';
import { CircleAlert, Info } from 'lucide-react';
import { text } from '../../text/text.ts';
import { visibleText } from '../../text/visible-text.ts';
import { ToolCard } from '../cards/tool-card.tsx';
import { Markdown } from '../markdown/markdown.tsx';
import { InputRequestPart } from './input-request-part.tsx';
import { Reasoning } from './reasoning.tsx';
import { ResourcePart } from './resource-part.tsx';
import { usePart } from './use-part.ts';
import { MessageBubble } from './user-message.tsx';

/** Any part of an answer but text. */
export function PartView({ turnId, index }: { readonly turnId: string; readonly index: number }) {
  const part = usePart(turnId, index);
  switch (part?.kind) {
    case 'reasoning':
      return <Reasoning turnId={turnId} index={index} content={part.content} />;
    case 'toolCall':
      return <ToolCard toolCall={part.toolCall} turnId={turnId} />;
    case 'systemNotification':
      if (part['x-steering'] !== undefined)
        return (
          <MessageBubble
            message={part['x-steering'].message}
            by={part['x-steering']['x-by']}
            note={text.chat.queuedAs}
          />
        );
      return (
        <Notice>
          <Markdown text={textOf(part.content)} />
        </Notice>
      );
    case 'inputRequest':
      return <InputRequestPart part={part} turnId={turnId} />;
    case 'contentRef':
      return <ResourcePart content={part} />;
    case 'error':
      return (
        <div className="my-1.5 flex items-start gap-2 rounded-lg border border-line px-3 py-2 text-sm text-muted">
          <CircleAlert className="mt-0.5 size-4 shrink-0 text-danger" aria-hidden />
          <div className="min-w-0">
            <p className="font-medium">{text.chat.earlierError}</p>
            <p className="break-words">{visibleText(part.error.message)}</p>
          </div>
        </div>
      );
    default:
      return undefined;
  }
}

function Notice({ children }: { readonly children: React.ReactNode }) {
  return (
    <div className="my-1.5 flex items-start gap-2 rounded-lg bg-sunken px-3 py-2 text-sm text-muted">
      <Info className="mt-0.5 size-4 shrink-0" aria-hidden />
      <div className="min-w-0 flex-1">{children}</div>
    </div>
  );
}
