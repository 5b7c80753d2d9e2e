import type { CreateSessionParams } from '@agenthost/protocol';
import type { Caller } from '../../handler-port/channel-module.ts';
import type { Log } from '../../lib/log.ts';
import type { SessionParts } from '../../sessions/parts.ts';
import { Unlisted } from '../../sessions/unlisted.ts';
import type { Presence } from '../../wire/clients/client-lives.ts';
import type { Feature } from '../feature.ts';
import { announceTools } from './active-clients.ts';
import { createSession, type OwnSession, sessionCommands } from './commands.ts';
import { sessionModule } from './module.ts';

/** Sessions: clients create them, set their config and title, and dispose of them [SESS-1] to [SESS-11]. */
export function sessionFeature(
  parts: SessionParts & { readonly log: Log; readonly presence: Presence },
): Feature & {
  /** Creates a session for the host itself. Rejects as `createSession` does. */
  createOwn(params: CreateSessionParams, caller: Caller, own: OwnSession): Promise<void>;
} {
  const unlisted = new Unlisted(parts);
  const { sync, turns } = parts;
  return {
    name: 'session',
    createOwn: (params, caller, own) => createSession(parts, { params, caller, own }),
    commands: sessionCommands(parts),
    channel: { session: sessionModule(parts) },
    observe: () => {
      announceTools(sync, turns);
      unlisted.observe();
    },
    recover: () => unlisted.recover(),
  };
}
