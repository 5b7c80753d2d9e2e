import type {
  InputHTMLAttributes,
  ReactNode,
  Ref,
  SelectHTMLAttributes,
  TextareaHTMLAttributes,
} from 'react';
import { useId } from 'react';
import { classes } from './class-names.ts';
import { FieldError } from './field-error.tsx';

/** 16 px on touch screens: Safari zooms into smaller fields. */
export const INPUT_STYLE =
  'w-full min-w-0 rounded-lg border border-line-strong bg-surface px-3 py-2 text-sm placeholder:text-faint touch:text-base disabled:opacity-60 aria-invalid:border-danger';

/** Attributes that connect a control with its label, description and error. */
export interface ControlAttributes {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': boolean | undefined;
}

/** A labelled control. `children` gets the attributes that connect the control with its texts. */
export function Field({
  label,
  description,
  error,
  isRequired = false,
  children,
}: {
  readonly label: ReactNode;
  readonly description?: ReactNode;
  readonly error?: string | undefined;
  readonly isRequired?: boolean;
  readonly children: (attributes: ControlAttributes) => ReactNode;
}) {
  const id = useId();
  const describedBy = [
    description === undefined ? undefined : `${id}-description`,
    error === undefined ? undefined : `${id}-error`,
  ].filter((each) => each !== undefined);
  return (
    <div className="flex flex-col gap-1.5">
      <label htmlFor={id} className="text-sm font-medium">
        {label}
        {isRequired && <span aria-hidden> *</span>}
      </label>
      {children({
        id,
        'aria-describedby': describedBy.length === 0 ? undefined : describedBy.join(' '),
        'aria-invalid': error === undefined ? undefined : true,
      })}
      {description !== undefined && (
        <p id={`${id}-description`} className="text-xs text-muted">
          {description}
        </p>
      )}
      <FieldError id={`${id}-error`} error={error} />
    </div>
  );
}

/** A one-line text field. */
export function TextInput({ className, ...rest }: InputHTMLAttributes<HTMLInputElement>) {
  return <input {...rest} className={classes(INPUT_STYLE, className)} />;
}

/** A text field of several lines. */
export function TextArea({
  className,
  ...rest
}: TextareaHTMLAttributes<HTMLTextAreaElement> & { readonly ref?: Ref<HTMLTextAreaElement> }) {
  return <textarea {...rest} className={classes(INPUT_STYLE, className)} />;
}

/** A choice from a list, with the device's own control. */
export function Select({ className, ...rest }: SelectHTMLAttributes<HTMLSelectElement>) {
  return <select {...rest} className={classes(INPUT_STYLE, 'select-arrow pe-8', className)} />;
}

/** A switch. */
export function Switch({
  isOn,
  onChange,
  ...rest
}: {
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
  readonly disabled?: boolean;
} & Partial<ControlAttributes> & { readonly 'aria-label'?: string }) {
  return (
    <button
      {...rest}
      type="button"
      role="switch"
      aria-checked={isOn}
      onClick={() => onChange(!isOn)}
      className={classes(
        'relative h-6 w-10 shrink-0 rounded-full border border-line-strong transition-colors disabled:opacity-50',
        isOn ? 'bg-accent' : 'bg-sunken',
      )}
    >
      <span
        className={classes(
          'absolute top-0.5 left-0.5 size-[18px] rounded-full shadow transition-transform',
          isOn ? 'translate-x-4 bg-on-accent' : 'bg-muted',
        )}
      />
    </button>
  );
}
