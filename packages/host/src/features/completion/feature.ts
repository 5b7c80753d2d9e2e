import { type Clock, steadyNow } from '../../lib/clock.ts';
import type { Feature } from '../feature.ts';
import { type CompletionParts, completionCommands } from './commands.ts';

/** Time that the list of files of a working directory stays in memory after its last use. */
const DROP_PATHS_AFTER_MS = 5 * 60_000;

/** Completions for a message that a user types: files, commands of the agent, earlier turns [CHAT-16]. */
export const completionFeature = (parts: CompletionParts & { readonly clock: Clock }): Feature => ({
  name: 'completion',
  commands: completionCommands(parts),
  sweep: () => parts.files.dropIdle(steadyNow(parts.clock) - DROP_PATHS_AFTER_MS),
  stop: () => parts.files.end(),
});
