import type { ReactNode } from 'react';
import { text } from '../text/text.ts';

/** A page without the frame of the views, such as the sign-in. */
export function FullPage({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <main className="flex min-h-dvh items-center justify-center p-4">
      <div className="w-full max-w-md rounded-2xl border border-line bg-surface p-6 shadow-sm sm:p-8">
        <p className="text-xs font-medium tracking-wide text-faint">{text.app.name}</p>
        <h1 className="mt-1 text-xl font-semibold text-balance">{title}</h1>
        <div className="mt-3 flex flex-col gap-3 text-sm text-muted">{children}</div>
      </div>
    </main>
  );
}
