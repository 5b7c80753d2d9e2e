export interface ConfigPropertySchema {
  type: 'string' | 'number' | 'boolean' | 'array' | 'object';
  title: string;
  description?: string;
  default?: unknown;
  enum?: JsonPrimitive[];
  enumLabels?: string[];
  enumDescriptions?: string[];
  readOnly?: boolean;
  items?: ConfigPropertySchema;
  properties?: Record<string, ConfigPropertySchema>;
  required?: string[];
  additionalProperties?: ConfigPropertySchema;
}

export interface ConfigSchema {
  type: 'object';
  properties: Record<string, ConfigPropertySchema>;
  required?: string[];
}

export type JsonPrimitive = string | number | boolean | null;

export interface SessionConfigPropertySchema {
  type: 'string' | 'number' | 'boolean' | 'array' | 'object';
  title: string;
  description?: string;
  default?: unknown;
  enum?: JsonPrimitive[];
  enumLabels?: string[];
  enumDescriptions?: string[];
  readOnly?: boolean;
  items?: ConfigPropertySchema;
  properties?: Record<string, ConfigPropertySchema>;
  required?: string[];
  additionalProperties?: ConfigPropertySchema;
  enumDynamic?: boolean;
  sessionMutable?: boolean;
}

export interface SessionConfigSchema {
  type: 'object';
  properties: Record<string, SessionConfigPropertySchema>;
  required?: string[];
}

export interface SessionConfigState {
  schema: SessionConfigSchema;
  values: Record<string, unknown>;
}
