import type { Feature } from '../feature.ts';
import { type ImportParts, importCommands } from './commands.ts';

/** Imports exported sessions in pieces. Removes imports that are unfinished when the host stops. */
export function importFeature(parts: Omit<ImportParts, 'stopping'>): Feature {
  const stopping = new AbortController();
  return {
    name: 'import',
    commands: importCommands({ ...parts, stopping: stopping.signal }),
    stop: () => stopping.abort(),
  };
}
