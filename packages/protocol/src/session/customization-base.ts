import type { Icon, TextRange, URI, WithMeta } from '../wire/basics.ts';

/** What every customization has. */
export interface CustomizationBase extends WithMeta {
  /** Unique in the session; actions name customizations by it. */
  id: string;
  /** Where it comes from: a file, a directory or a plugin's address. */
  uri: URI;
  name: string;
  icons?: Icon[];
  /** Its place in the file at `uri`. Absent: all of it. */
  range?: TextRange;
}
