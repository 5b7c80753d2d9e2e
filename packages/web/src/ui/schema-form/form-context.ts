import type {
  ConfigPropertySchema,
  SessionConfigPropertySchema,
  SessionConfigValueItem,
} from '@agenthost/protocol';
import { type ComponentType, createContext, use } from 'react';
import type { ControlAttributes } from '../field.tsx';

/** Finds the choices of a property for a search text. Rejects when the signal aborts. */
export type Completions = (
  property: string,
  query: string,
  signal: AbortSignal,
) => Promise<readonly SessionConfigValueItem[]>;

/** State that all fields of a form share. Lists and objects contain fields again, so they get the components from here. */
interface FormShared {
  readonly completions: Completions | undefined;
  readonly isDisabled: boolean;
  readonly Control: ComponentType<ControlProps & { readonly isMultiline?: boolean }>;
  readonly PropertyField: ComponentType<PropertyFieldProps>;
}

/** Set by the form. */
export const FormContext = createContext<FormShared | undefined>(undefined);

/** The shared state of the form around the component. */
export function useForm(): FormShared {
  const form = use(FormContext);
  if (form === undefined) throw new Error('a field of a schema needs a SchemaForm around it');
  return form;
}

/** Props of one property of a form. */
export interface PropertyFieldProps {
  readonly name: string;
  readonly property: SessionConfigPropertySchema;
  readonly value: unknown;
  readonly error: string | undefined;
  readonly isRequired: boolean;
  readonly isMultiline: boolean;
  readonly onChange: (value: unknown) => void;
}

/** Props of the control of a property. `undefined` stands for no value. */
export interface ControlProps {
  readonly attributes: Partial<ControlAttributes>;
  /** Name for screen readers where no label is connected. */
  readonly label: string;
  readonly property: ConfigPropertySchema;
  readonly value: unknown;
  readonly isDisabled: boolean;
  readonly onChange: (value: unknown) => void;
}
