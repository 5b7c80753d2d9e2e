import { CircleAlert, PencilLine, X } from 'lucide-react';
import { text } from '../text/text.ts';
import { Button, IconButton } from '../ui/button.tsx';

/** Notes above the field: why the message came back, and which message it replaces. */
export function ComposerNotes({
  problem,
  onDismissProblem,
  isReplacing,
  onStopReplacing,
}: {
  readonly problem: string | undefined;
  readonly onDismissProblem: () => void;
  readonly isReplacing: boolean;
  readonly onStopReplacing: () => void;
}) {
  return (
    <>
      <div role="alert" className="empty:hidden">
        {problem !== undefined && (
          <p className="flex items-center gap-2 rounded-xl bg-danger-soft py-1.5 ps-3 pe-1.5 text-sm text-danger">
            <CircleAlert className="size-4 shrink-0" aria-hidden />
            <span className="min-w-0 flex-1 wrap-anywhere">{problem}</span>
            <IconButton label={text.ui.dismiss} size="small" onClick={onDismissProblem}>
              <X className="size-4" aria-hidden />
            </IconButton>
          </p>
        )}
      </div>
      {isReplacing && (
        <p className="flex items-center gap-2 rounded-xl border border-line bg-sunken py-1.5 ps-3 pe-1.5 text-sm">
          <PencilLine className="size-4 shrink-0 text-muted" aria-hidden />
          <span className="min-w-0 flex-1">{text.composer.replacing}</span>
          <Button size="small" look="ghost" onClick={onStopReplacing}>
            {text.ui.cancel}
          </Button>
        </p>
      )}
    </>
  );
}
