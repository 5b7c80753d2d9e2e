import { X } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import { Emitter } from '../live/emitter.ts';
import { text } from '../text/text.ts';
import { visibleText } from '../text/visible-text.ts';
import { Button, IconButton } from './button.tsx';
import { classes } from './class-names.ts';

/** A short message at the top of the page, where it covers neither the composer nor the buttons of a question. */
export interface Toast {
  readonly message: string;
  readonly kind?: 'info' | 'error';
  /** A button, such as "Undo". */
  readonly action?: { readonly label: string; readonly run: () => void };
  /** Milliseconds. Default 6,000. */
  readonly lifetimeMs?: number;
  /** Called once when the toast closes: true when its action was chosen. */
  readonly onGone?: (wasChosen: boolean) => void;
}

const DEFAULT_LIFETIME_MS = 6_000;
const MOST_SHOWN = 3;

interface ShownToast extends Toast {
  readonly id: number;
}

const changed = new Emitter();
let shown: readonly ShownToast[] = [];
let nextId = 0;

/** Shows a toast. Returns a function that removes it. */
export function showToast(toast: Toast): () => void {
  const id = nextId++;
  const { lifetimeMs = DEFAULT_LIFETIME_MS } = toast;
  const timer = setTimeout(() => remove(id, false), lifetimeMs);
  const before = shown;
  shown = [...before, { ...toast, id }];
  for (const old of before.slice(0, Math.max(0, before.length + 1 - MOST_SHOWN))) remove(old.id, false);
  changed.emit();
  return () => {
    clearTimeout(timer);
    remove(id, false);
  };
}

/** Shows an error as a toast. */
export const showError = (message: string): void => {
  showToast({ message, kind: 'error', lifetimeMs: 10_000 });
};

function remove(id: number, wasChosen: boolean): void {
  const toast = shown.find((each) => each.id === id);
  if (toast === undefined) return;
  shown = shown.filter((each) => each.id !== id);
  changed.emit();
  toast.onGone?.(wasChosen);
  if (wasChosen) toast.action?.run();
}

/** The place of the toasts. Rendered once. */
export function Toasts() {
  const toasts = useSyncExternalStore(changed.add, () => shown);
  return (
    <div
      role="region"
      aria-label={text.ui.messages}
      className="pointer-events-none fixed inset-x-0 top-[calc(env(safe-area-inset-top)+3.75rem)] z-50 flex flex-col items-center gap-2 px-4 md:items-end"
    >
      {toasts.map(({ id, message, kind, action }) => (
        <div
          key={id}
          role={kind === 'error' ? 'alert' : 'status'}
          className={classes(
            'pointer-events-auto flex max-w-lg items-center gap-3 rounded-xl border bg-raised py-1.5 ps-4 pe-1.5 text-sm shadow-xl',
            kind === 'error' ? 'border-danger' : 'border-line-strong',
          )}
        >
          <span className="min-w-0 flex-1 break-words">{visibleText(message)}</span>
          {action !== undefined && (
            <Button size="small" look="ghost" className="text-accent" onClick={() => remove(id, true)}>
              {action.label}
            </Button>
          )}
          <IconButton size="small" label={text.ui.dismiss} onClick={() => remove(id, false)}>
            <X className="size-4" aria-hidden />
          </IconButton>
        </div>
      ))}
    </div>
  );
}
