import { ShieldQuestion } from 'lucide-react';
import { type ReactNode, type RefObject, useId } from 'react';
import { classes } from '../ui/class-names.ts';
import { SafeText } from '../ui/safe-text.tsx';
import { ASK_ATTRIBUTE } from './waiting-questions.ts';

/** The frame of an approval: heading, purpose, content. */
export function PanelFrame({
  panel,
  ask,
  title,
  intention,
  isNested,
  children,
}: {
  readonly panel: RefObject<HTMLElement | null>;
  /** Id of the tool call, by which the question is found. */
  readonly ask: string;
  readonly title: string;
  readonly intention?: string | undefined;
  /** The panel is inside a card, which has a frame. */
  readonly isNested: boolean;
  readonly children: ReactNode;
}) {
  const id = useId();
  return (
    <section
      ref={panel}
      tabIndex={-1}
      {...{ [ASK_ATTRIBUTE]: ask }}
      aria-labelledby={id}
      className={classes(
        'flex scroll-my-4 flex-col gap-3 rounded-xl p-3.5 focus-visible:-outline-offset-2',
        !isNested && 'border border-accent/50 bg-raised shadow-sm',
      )}
    >
      <header className="flex items-start gap-2.5">
        <ShieldQuestion className="mt-0.5 size-4 shrink-0 text-accent" aria-hidden />
        <div className="min-w-0 flex-1">
          <h3 id={id} className="max-h-[40vh] overflow-y-auto text-sm font-semibold wrap-anywhere">
            <SafeText>{title}</SafeText>
          </h3>
          {intention !== undefined && intention !== '' && (
            <p className="text-xs text-muted wrap-anywhere">
              <SafeText>{intention}</SafeText>
            </p>
          )}
        </div>
      </header>
      {children}
    </section>
  );
}
