import type { ToolCallState } from '@agenthost/protocol';
import { text } from '../../text/text.ts';
import { CallInput } from './call-input.tsx';
import { contentOf } from './card-kind.ts';
import { ResultContent } from './result-content.tsx';

/** Input and output of any call. */
export function GenericBody({ toolCall }: { readonly toolCall: ToolCallState }) {
  const content = contentOf(toolCall);
  return (
    <>
      <CallInput toolCall={toolCall} />
      <ResultContent content={content} />
      {toolCall.status === 'completed' && content.length === 0 && toolCall.error === undefined && (
        <p className="text-sm text-muted">{text.chat.noOutput}</p>
      )}
    </>
  );
}
