import type { Feature } from '../feature.ts';
import { type ImportParts, importCommands } from './commands.ts';

/** Brings exported sessions in, piece by piece. An import that is not finished when the host stops is taken back. */
export function importFeature(parts: Omit<ImportParts, 'stopping'>): Feature {
  const stopping = new AbortController();
  return {
    name: 'import',
    commands: importCommands({ ...parts, stopping: stopping.signal }),
    stop: () => stopping.abort(),
  };
}
