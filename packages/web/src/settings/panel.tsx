import { type ReactNode, useId } from 'react';
import { classes } from '../ui/class-names.ts';

/** A titled part of a section. `actions` are at the end of the title's line. */
export function Panel({
  title,
  description,
  actions,
  children,
}: {
  readonly title: string;
  readonly description?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="flex flex-col gap-3">
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 basis-48">
          <h3 id={id} className="text-sm font-semibold">
            {title}
          </h3>
          {description !== undefined && <p className="mt-0.5 text-sm text-muted">{description}</p>}
        </div>
        {actions !== undefined && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </div>
      {children}
    </section>
  );
}

/** A framed list. Its children are list items. */
export function FramedList({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <ul aria-label={label} className={classes(FRAME, 'flex flex-col divide-y divide-line')}>
      {children}
    </ul>
  );
}

/** The border around lists and rows. */
export const FRAME = 'overflow-clip rounded-xl border border-line bg-raised';

/** A setting: its name and meaning on one side, its control on the other, or below where there is no room. */
export function SettingRow({
  label,
  description,
  children,
  labelId,
}: {
  readonly label: ReactNode;
  readonly description?: ReactNode;
  readonly children?: ReactNode;
  /** `id` of the label, for a control that is named by it. */
  readonly labelId?: string;
}) {
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2 px-4 py-3">
      <div className="min-w-0 flex-1 basis-56">
        <p id={labelId} className="text-sm font-medium">
          {label}
        </p>
        {description !== undefined && <p className="mt-0.5 text-xs text-muted">{description}</p>}
      </div>
      {children}
    </div>
  );
}

/** Names and values, such as name and version of a host. Absent values are left out. */
export function Facts({
  rows,
}: {
  readonly rows: readonly (readonly [name: string, value: ReactNode | undefined])[];
}) {
  return (
    <dl className={classes(FRAME, 'divide-y divide-line text-sm')}>
      {rows.map(([name, value]) =>
        value === undefined ? null : (
          <div key={name} className="flex flex-wrap gap-x-4 gap-y-0.5 px-4 py-2.5">
            <dt className="w-36 shrink-0 text-muted">{name}</dt>
            <dd className="min-w-0 flex-1 basis-40 break-words">{value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}

/** A small mark with a word. */
export function Badge({
  tone = 'plain',
  children,
}: {
  readonly tone?: 'plain' | 'ok' | 'warn' | 'danger' | 'accent';
  readonly children: ReactNode;
}) {
  return (
    <span
      className={classes(
        'inline-flex shrink-0 items-center gap-1 rounded-md px-1.5 py-0.5 text-xs font-medium',
        TONES[tone],
      )}
    >
      {children}
    </span>
  );
}

const TONES = {
  plain: 'bg-sunken text-muted',
  ok: 'bg-ok-soft text-ok',
  warn: 'bg-warn-soft text-warn',
  danger: 'bg-danger-soft text-danger',
  accent: 'bg-accent-soft text-accent',
} as const;

/** A hint with a border, such as what to do first. */
export function Note({
  tone = 'plain',
  children,
}: {
  readonly tone?: 'plain' | 'warn' | 'danger';
  readonly children: ReactNode;
}) {
  return (
    <div
      className={classes(
        'flex flex-col gap-1.5 rounded-xl border px-4 py-3 text-sm break-words',
        tone === 'plain' && 'border-line bg-sunken text-muted',
        tone === 'warn' && 'border-warn bg-warn-soft text-text',
        tone === 'danger' && 'border-danger bg-danger-soft text-text',
      )}
    >
      {children}
    </div>
  );
}
