import type { ToolCallState } from '@agenthost/protocol';
import { text } from '../../text/text.ts';
import { languageOfPath } from '../code/languages.ts';
import { CallInput } from './call-input.tsx';
import { inputField } from './call-text.ts';
import { cardKindOf, contentOf } from './card-kind.ts';
import { ResultContent } from './result-content.tsx';

/** The result of a read, a search, a fetch or a thought; its input only when the header does not show it. */
export function ResultBody({ toolCall }: { readonly toolCall: ToolCallState }) {
  const content = contentOf(toolCall);
  const path = inputField(toolCall, ['path', 'file_path', 'filePath', 'absolute_path']);
  const isRead = cardKindOf(toolCall) === 'read';
  return (
    <>
      {!isRead && <CallInput toolCall={toolCall} />}
      <ResultContent
        content={content}
        language={path === undefined || !isRead ? undefined : languageOfPath(path)}
      />
      {content.length === 0 && toolCall.status === 'completed' && (
        <p className="text-sm text-muted">{text.chat.noOutput}</p>
      )}
    </>
  );
}

/** How much a read or search found. */
export function ResultFacts({ toolCall }: { readonly toolCall: ToolCallState }) {
  if (toolCall.status !== 'completed') return undefined;
  let count = 0;
  for (const block of contentOf(toolCall)) if (block.type === 'text') count += lineCount(block.text);
  return count === 0 ? undefined : text.chat.matches(count);
}

function lineCount(content: string): number {
  let count = content === '' || content.endsWith('\n') ? 0 : 1;
  for (let at = content.indexOf('\n'); at !== -1; at = content.indexOf('\n', at + 1)) count++;
  return count;
}
