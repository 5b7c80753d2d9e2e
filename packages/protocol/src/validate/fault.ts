/** What a compiled check found: where, which keyword of the schema failed, and that keyword's own parameters. */
export interface Fault {
  /** JSON pointer into the checked value; '' is the value itself. */
  instancePath: string;
  keyword: string;
  params: Record<string, unknown>;
}

/** A compiled check: true when the value fits. What it found is read from the file that it comes from. */
export type Check = (value: unknown) => boolean;
