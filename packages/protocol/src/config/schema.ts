/** A JSON value that contains no other values. */
export type JsonPrimitive = string | number | boolean | null;

/** One configuration value: a subset of JSON Schema with additions for forms. */
export interface ConfigPropertySchema {
  type: 'string' | 'number' | 'boolean' | 'array' | 'object';
  /** Label in a form. */
  title: string;
  description?: string;
  default?: unknown;
  /** Allowed values. Absent: any value of the type. */
  enum?: JsonPrimitive[];
  /** Labels for the entries of `enum`, in the same order. */
  enumLabels?: string[];
  /** Descriptions of the entries of `enum`, in the same order. */
  enumDescriptions?: string[];
  /** True: clients cannot change it [ROOT-5]. Absent: false. */
  readOnly?: boolean;
  /** For arrays: schema of the elements. */
  items?: ConfigPropertySchema;
  /** For arrays: the least number of elements [ROOT-23]. Absent: 0. */
  minItems?: number;
  /** For arrays: the largest number of elements [ROOT-23]. Absent: any. */
  maxItems?: number;
  /** For objects: schemas of the fields. */
  properties?: Record<string, ConfigPropertySchema>;
  /** For objects: names of required fields. */
  required?: string[];
  /** For objects: schema of fields outside `properties`. */
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
  /** True: `sessionConfigCompletions` returns the choices, and `enum` is a selection of them [ROOT-4]. */
  enumDynamic?: boolean;
  /** True: it may change after creation [SESS-9]. Absent: false. */
  sessionMutable?: boolean;
}

/** The configuration values of a session. */
export interface SessionConfigSchema extends ConfigSchema {
  properties: Record<string, SessionConfigPropertySchema>;
}

/** A session's configuration: schema and values. */
export interface SessionConfigState {
  schema: SessionConfigSchema;
  /** By property name. */
  values: Record<string, unknown>;
}
