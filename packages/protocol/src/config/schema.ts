/** A value of JSON that holds no other values. */
export type JsonPrimitive = string | number | boolean | null;

/** One configuration value: a subset of JSON Schema, and what a form needs to show it. */
export interface ConfigPropertySchema {
  type: 'string' | 'number' | 'boolean' | 'array' | 'object';
  /** Label in a form. */
  title: string;
  description?: string;
  default?: unknown;
  /** The values to choose from. Absent: any of the type. */
  enum?: JsonPrimitive[];
  /** One label for each entry of `enum`, in its order. */
  enumLabels?: string[];
  /** One explanation for each entry of `enum`, in its order. */
  enumDescriptions?: string[];
  /** Shown, but never changed by a client [ROOT-5]. Absent: false. */
  readOnly?: boolean;
  /** For arrays: what each element is. */
  items?: ConfigPropertySchema;
  /** For objects: the fields by name. */
  properties?: Record<string, ConfigPropertySchema>;
  /** For objects: names of fields that have to be there. */
  required?: string[];
  /** For objects: what fields outside `properties` are. */
  additionalProperties?: ConfigPropertySchema;
}

/** A set of configuration values. */
export interface ConfigSchema {
  type: 'object';
  properties: Record<string, ConfigPropertySchema>;
  required?: string[];
}

/** One configuration value of a session. */
export interface SessionConfigPropertySchema extends ConfigPropertySchema {
  /** True when the choices are asked for by `sessionConfigCompletions`; `enum` is then a selection [ROOT-4]. */
  enumDynamic?: boolean;
  /** True when it may change after creation [SESS-9]. Absent: false. */
  sessionMutable?: boolean;
}

/** The configuration values of a session. */
export interface SessionConfigSchema extends ConfigSchema {
  properties: Record<string, SessionConfigPropertySchema>;
}

/** A session's configuration: what there is to set, and what is set. */
export interface SessionConfigState {
  schema: SessionConfigSchema;
  /** By property name. */
  values: Record<string, unknown>;
}
