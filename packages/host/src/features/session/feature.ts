import type { Log } from '../../lib/log.ts';
import type { SessionParts } from '../../sessions/parts.ts';
import { Unlisted } from '../../sessions/unlisted.ts';
import type { Presence } from '../../wire/clients/client-lives.ts';
import type { Feature } from '../feature.ts';
import { announceTools } from './active-clients.ts';
import { sessionCommands } from './commands.ts';
import { sessionModule } from './module.ts';

/** Sessions: clients create them, set their config and title, and dispose of them [SESS-1] to [SESS-11]. */
export function sessionFeature(
  parts: SessionParts & { readonly log: Log; readonly presence: Presence },
): Feature {
  const unlisted = new Unlisted(parts);
  const { sync, turns } = parts;
  return {
    name: 'session',
    commands: sessionCommands(parts),
    channel: { session: sessionModule(parts) },
    observe: () => {
      announceTools(sync, turns);
      unlisted.observe();
    },
    recover: () => unlisted.recover(),
  };
}
