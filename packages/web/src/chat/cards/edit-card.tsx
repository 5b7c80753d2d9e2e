import type { FileEdit, ToolCallState } from '@agenthost/protocol';
import { text } from '../../text/text.ts';
import { useChatScope } from '../chat-scope.tsx';
import { DiffCounts } from '../diff/diff-counts.tsx';
import { FileEditView } from '../diff/file-edit.tsx';
import { CallInput } from './call-input.tsx';
import { contentOf } from './card-kind.ts';
import { ResultContent } from './result-content.tsx';

/** Larger changes stay closed at first. Lines. */
const OPEN_LINES = 60;

const editsOf = (toolCall: ToolCallState): readonly FileEdit[] => {
  const edits = contentOf(toolCall).filter((block) => block.type === 'fileEdit');
  if (edits.length > 0 || toolCall.status !== 'pending-confirmation') return edits;
  return toolCall.edits?.items ?? [];
};

/** How many files and lines change. */
export function EditFacts({ toolCall }: { readonly toolCall: ToolCallState }) {
  const edits = editsOf(toolCall);
  const added = sum(edits, ({ diff }) => diff?.added);
  const removed = sum(edits, ({ diff }) => diff?.removed);
  return (
    <>
      {edits.length > 1 && <span>{text.chat.filesChanged(edits.length)}</span>}
      <DiffCounts added={added} removed={removed} />
    </>
  );
}

/** The changes of each file; the input of a call that reports none. */
export function EditBody({ toolCall }: { readonly toolCall: ToolCallState }) {
  const { link } = useChatScope();
  const content = contentOf(toolCall);
  const hasEdits = content.some(({ type }) => type === 'fileEdit');
  const [only] = content;
  if (content.length === 1 && only?.type === 'fileEdit')
    return (
      <div className="-m-3">
        <FileEditView link={link} edit={only} isFramed />
      </div>
    );
  return (
    <>
      {!hasEdits && <CallInput toolCall={toolCall} />}
      <ResultContent content={content} />
    </>
  );
}

/** Small changes of one file show at once. */
export function isEditOpen(toolCall: ToolCallState): boolean {
  if (toolCall.status !== 'completed') return false;
  const edits = editsOf(toolCall);
  const [first] = edits;
  if (edits.length !== 1 || first === undefined) return false;
  return (first.diff?.added ?? 0) + (first.diff?.removed ?? 0) <= OPEN_LINES;
}

function sum<T>(items: readonly T[], valueOf: (item: T) => number | undefined): number | undefined {
  let total: number | undefined;
  for (const item of items) {
    const value = valueOf(item);
    if (value !== undefined) total = (total ?? 0) + value;
  }
  return total;
}
