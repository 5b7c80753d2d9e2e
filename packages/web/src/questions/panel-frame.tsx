import { ShieldQuestion } from 'lucide-react';
import { type ReactNode, type RefObject, useId } from 'react';
import { SafeText } from '../ui/safe-text.tsx';

/** The frame of an approval: heading, purpose, content. */
export function PanelFrame({
  panel,
  title,
  intention,
  children,
}: {
  readonly panel: RefObject<HTMLElement | null>;
  readonly title: string;
  readonly intention?: string | undefined;
  readonly children: ReactNode;
}) {
  const id = useId();
  return (
    <section
      ref={panel}
      tabIndex={-1}
      aria-labelledby={id}
      className="flex scroll-my-4 flex-col gap-3 rounded-xl border border-accent/50 bg-raised p-3.5 shadow-sm"
    >
      <header className="flex items-start gap-2.5">
        <ShieldQuestion className="mt-0.5 size-4 shrink-0 text-accent" aria-hidden />
        <div className="min-w-0 flex-1">
          <h3 id={id} className="text-sm font-semibold wrap-anywhere">
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
