import { useSelected } from '../../live/use-live.ts';
import { useChatScope } from '../chat-scope.tsx';
import { Markdown } from '../markdown/markdown.tsx';
import { partOf } from './rows.ts';
import { chunkText, type TextChunk } from './text-chunks.ts';
import { useIsStreaming } from './use-part.ts';

interface AnswerTextProps {
  readonly turnId: string;
  readonly index: number;
  readonly chunk: TextChunk;
  readonly isLastChunk: boolean;
}

/** A chunk of the agent's answer. */
export function AnswerText({ turnId, index, chunk, isLastChunk }: AnswerTextProps) {
  const { chat } = useChatScope();
  const text = useSelected(chat.mirror, (state) => {
    const part = partOf(state, turnId, index);
    return part?.kind === 'markdown' ? chunkText(part.content, chunk) : '';
  });
  const isStreaming = useIsStreaming(turnId, index);
  return (
    <div data-answer className="py-1.5">
      <Markdown text={text} isStreaming={isStreaming && isLastChunk} />
    </div>
  );
}
