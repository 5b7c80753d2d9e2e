import type { ToolCallState } from '@agenthost/protocol';
import { text } from '../../text/text.ts';
import { visibleText } from '../../text/visible-text.ts';
import { CodeBlock } from '../code/code-block.tsx';
import { callTitle, commandOf } from './call-text.ts';
import { contentOf } from './card-kind.ts';
import { ResultContent } from './result-content.tsx';

/** The command line. */
export function CommandTitle({ toolCall }: { readonly toolCall: ToolCallState }) {
  const command = commandOf(toolCall);
  if (command === undefined) return callTitle(toolCall);
  return (
    <code dir="ltr" className="font-mono text-[0.8125rem]">
      {visibleText(command.split('\n', 1)[0] ?? '')}
    </code>
  );
}

/** The exit code of the command. */
export function CommandFacts({ toolCall }: { readonly toolCall: ToolCallState }) {
  const terminal = contentOf(toolCall).find((block) => block.type === 'terminal');
  const code = terminal?.result?.exitCode;
  if (code === undefined) return undefined;
  return <span className={code === 0 ? undefined : 'text-danger'}>{text.chat.exitCode(code)}</span>;
}

/** The command in full, and its output. */
export function CommandBody({ toolCall }: { readonly toolCall: ToolCallState }) {
  const command = commandOf(toolCall);
  const content = contentOf(toolCall);
  const hasTerminal = content.some(({ type }) => type === 'terminal');
  return (
    <>
      {command !== undefined && (command.includes('\n') || command.length > 80 || !hasTerminal) && (
        <CodeBlock code={command} language="bash" />
      )}
      {/* A running terminal shows its output itself. */}
      <ResultContent
        content={hasTerminal ? content.filter(({ type }) => type !== 'text') : content}
        foldsTo="end"
      />
    </>
  );
}

/** Running and failed commands show their output at once. */
export const isCommandOpen = (toolCall: ToolCallState): boolean =>
  toolCall.status === 'running' || (toolCall.status === 'completed' && !toolCall.success);
