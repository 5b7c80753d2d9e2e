import type { Journal } from '../../journal/journal.ts';
import type { ReadFile } from '../../workspace/workspace.ts';
import type { Feature } from '../feature.ts';
import { resourceCommands } from './commands.ts';

/** Contents of turns, and files of working directories [RES-1] [RES-2]. */
export const resourceFeature = (journal: Journal, readFile: ReadFile): Feature => ({
  name: 'resource',
  commands: resourceCommands(journal, readFile),
});
