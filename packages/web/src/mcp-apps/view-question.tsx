import { mcpText } from '../text/mcp-text.ts';
import { Button } from '../ui/button.tsx';
import { SafeText } from '../ui/safe-text.tsx';

/** An answer: this call, all calls of the tool by this view, or none. */
type ViewAnswer = 'once' | 'view' | 'deny';

interface ViewQuestionProps {
  readonly tool: string;
  readonly onAnswer: (answer: ViewAnswer) => void;
}

/** Asks whether a view may run a tool. */
export function ViewQuestion({ tool, onAnswer }: ViewQuestionProps) {
  return (
    <div
      role="group"
      aria-label={mcpText.viewAsks(tool)}
      className="flex flex-wrap items-center gap-2 border-b border-line p-3"
    >
      <p className="min-w-0 flex-1 basis-64 text-sm break-words">
        <SafeText>{mcpText.viewAsks(tool)}</SafeText>
      </p>
      <Button size="small" look="primary" onClick={() => onAnswer('once')}>
        {mcpText.allowOnce}
      </Button>
      <Button size="small" onClick={() => onAnswer('view')}>
        {mcpText.allowInView}
      </Button>
      <Button size="small" onClick={() => onAnswer('deny')}>
        {mcpText.deny}
      </Button>
    </div>
  );
}
