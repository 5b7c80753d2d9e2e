import { authorName, type StringOrMarkdown, type ToolCallState, textOf } from '@agenthost/protocol';
import { text } from '../../text/text.ts';
import { visibleText } from '../../text/visible-text.ts';
import { SafeText } from '../../ui/safe-text.tsx';
import { Markdown } from '../markdown/markdown.tsx';
import { callTitle, oneLine } from './call-text.ts';

/** Notes about a call: its intention, who allowed or denied it and why, its error. */
export function CallNotes({ toolCall }: { readonly toolCall: ToolCallState }) {
  const { intention } = toolCall;
  return (
    <>
      {intention !== undefined && intention !== '' && !isRepeated(intention, toolCall) && (
        <p dir="auto" className="text-sm break-words text-muted">
          {visibleText(intention)}
        </p>
      )}
      <Answer toolCall={toolCall} />
      {toolCall.status === 'completed' && toolCall.error !== undefined && (
        <p dir="auto" className="rounded-lg bg-danger-soft px-3 py-2 text-sm break-words whitespace-pre-wrap">
          {visibleText(toolCall.error.message)}
        </p>
      )}
    </>
  );
}

/** Whether the intention repeats the card's line. */
function isRepeated(intention: string, toolCall: ToolCallState): boolean {
  const { invocationMessage } = toolCall;
  return (
    intention === callTitle(toolCall) ||
    (invocationMessage !== undefined && intention === oneLine(invocationMessage))
  );
}

function Answer({ toolCall }: { readonly toolCall: ToolCallState }) {
  if (toolCall.status === 'cancelled') {
    const { reasonMessage, userSuggestion } = toolCall;
    const by = toolCall['x-answeredBy'];
    return (
      <>
        {by !== undefined && (
          <p className="text-xs text-muted">
            <SafeText>{text.chat.deniedBy(authorName(by))}</SafeText>
          </p>
        )}
        {reasonMessage !== undefined && <Remark message={reasonMessage} />}
        {userSuggestion !== undefined && <Remark message={userSuggestion.text} />}
      </>
    );
  }
  if (!('confirmed' in toolCall)) return undefined;
  const by = toolCall['x-answeredBy'];
  if (by !== undefined)
    return (
      <p className="text-xs text-muted">
        <SafeText>{text.chat.allowedBy(authorName(by))}</SafeText>
      </p>
    );
  if (toolCall.confirmed !== 'setting') return undefined;
  return <p className="text-xs text-muted">{text.chat.allowedBySetting}</p>;
}

function Remark({ message }: { readonly message: StringOrMarkdown }) {
  return (
    <div className="rounded-lg bg-sunken px-3 py-2 text-sm">
      <p className="text-xs text-muted">{text.chat.feedback}</p>
      <Markdown text={textOf(message)} />
    </div>
  );
}
