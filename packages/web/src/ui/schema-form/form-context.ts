import type { ConfigPropertySchema, SessionConfigValueItem } from '@agenthost/protocol';
import { createContext, use } from 'react';
import type { ControlAttributes } from '../field.tsx';

/** Finds the choices of a property for a search text. Rejects when the signal aborts. */
export type Completions = (
  property: string,
  query: string,
  signal: AbortSignal,
) => Promise<readonly SessionConfigValueItem[]>;

interface FormShared {
  readonly completions: Completions | undefined;
  readonly isDisabled: boolean;
}

/** What all fields of a form share. */
export const FormContext = createContext<FormShared>({ completions: undefined, isDisabled: false });

/** What all fields of the form around the component share. */
export const useForm = (): FormShared => use(FormContext);

/** What the control of a property gets. `undefined` stands for no value. */
export interface ControlProps {
  readonly attributes: Partial<ControlAttributes>;
  /** Name for screen readers where no label is connected. */
  readonly label: string;
  readonly property: ConfigPropertySchema;
  readonly value: unknown;
  readonly isDisabled: boolean;
  readonly onChange: (value: unknown) => void;
}
