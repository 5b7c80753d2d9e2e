import type { Icon, TextRange, URI, WithMeta } from '../wire/basics.ts';

/** Fields of every customization. */
export interface CustomizationBase extends WithMeta {
  /** Unique in the session; actions name customizations by it. */
  id: string;
  /** Source: a file, a directory or the address of a plugin. */
  uri: URI;
  name: string;
  icons?: Icon[];
  /** Range in the file at `uri`. Absent: the whole file. */
  range?: TextRange;
}
