import type { ImportSource } from './import-source.ts';

/** The source in the present types. Rejects with `TypeError` if it is of version 1 and its session or a chat has another shape. */
export async function presentSource(source: ImportSource): Promise<ImportSource> {
  if (source.version !== 1) return source;
  // Few programs need it.
  const { fromVersion1 } = await import('./version-1.ts');
  return fromVersion1(source);
}
