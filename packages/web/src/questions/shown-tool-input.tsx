import { FolderOpen } from 'lucide-react';
import { text } from '../text/text.ts';
import { visibleText } from '../text/visible-text.ts';
import { Button } from '../ui/button.tsx';
import { SafeText } from '../ui/safe-text.tsx';
import { readToolInput } from './tool-input.ts';
import type { RawInput } from './use-tool-input.ts';

/** The input of a tool call: a command, indented JSON, or text; and its folder. */
export function ShownToolInput({ input, name }: { readonly input: RawInput; readonly name: string }) {
  const shown = readToolInput(input.raw);
  if (shown === undefined && input.isWhole) return null;
  return (
    <div className="flex flex-col gap-1.5">
      {shown !== undefined && (
        <pre
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a scrolling area must be reachable by keyboard
          tabIndex={0}
          aria-label={text.questions.inputOf(visibleText(name))}
          className="max-h-56 overflow-auto rounded-lg border border-line bg-sunken px-3 py-2 font-mono text-[0.8125rem] leading-relaxed whitespace-pre-wrap wrap-anywhere"
          dir="ltr"
        >
          {shown.kind === 'command' && (
            <span aria-hidden className="text-faint select-none">
              ${' '}
            </span>
          )}
          {visibleText(shown.text)}
        </pre>
      )}
      {!input.isWhole && (
        <Button size="small" look="ghost" className="self-start" onClick={() => void input.load()}>
          {text.questions.showAll}
        </Button>
      )}
      {shown?.folder !== undefined && (
        <p className="flex min-w-0 items-center gap-1.5 text-xs text-muted" title={visibleText(shown.folder)}>
          <FolderOpen className="size-3.5 shrink-0" aria-hidden />
          <span className="sr-only">{text.questions.folder}</span>
          <SafeText className="truncate">{shown.folder}</SafeText>
        </p>
      )}
    </div>
  );
}
