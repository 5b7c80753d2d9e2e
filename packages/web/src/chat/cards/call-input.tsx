import type { ToolCallState } from '@agenthost/protocol';
import { text } from '../../text/text.ts';
import { CodeBlock } from '../code/code-block.tsx';
import { ResourceContent } from '../transcript/resource-part.tsx';
import { inputRefOf, inputTextOf, prettyInput } from './call-text.ts';

/** The input of a call. */
export function CallInput({ toolCall }: { readonly toolCall: ToolCallState }) {
  const reference = inputRefOf(toolCall);
  if (reference !== undefined) return <ResourceContent content={reference} />;
  const input = inputTextOf(toolCall);
  if (input === undefined || input.trim() === '' || input.trim() === '{}') return undefined;
  const { text: shown, isJson } = prettyInput(input);
  return (
    <CodeBlock
      code={shown}
      language={isJson ? 'json' : ''}
      label={text.chat.input}
      isStreaming={toolCall.status === 'streaming'}
    />
  );
}
