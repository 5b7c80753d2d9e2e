import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { text } from '../text/text.ts';
import { visibleText } from '../text/visible-text.ts';
import { IconButton } from '../ui/button.tsx';
import { tryCopy } from '../ui/clipboard.ts';

/** How long the button says that it copied. Milliseconds. */
const COPIED_MS = 1_500;

/** A command or an address with a button that copies it. */
export function CopyLine({ value, label }: { readonly value: string; readonly label: string }) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = setTimeout(() => setCopied(false), COPIED_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = async (): Promise<void> => {
    if (await tryCopy(value)) setCopied(true);
  };
  return (
    <div className="flex min-w-0 items-center gap-1 rounded-lg border border-line bg-sunken ps-3 pe-1">
      <code className="min-w-0 flex-1 py-1.5 font-mono text-xs break-all select-all" dir="ltr">
        {visibleText(value)}
      </code>
      <IconButton
        size="small"
        label={isCopied ? text.ui.copied : `${text.ui.copy}: ${label}`}
        onClick={() => void copy()}
      >
        {isCopied ? <Check className="size-4" aria-hidden /> : <Copy className="size-4" aria-hidden />}
      </IconButton>
    </div>
  );
}
