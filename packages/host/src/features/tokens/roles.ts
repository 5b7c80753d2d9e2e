import { CHANNEL_LIMITS, invalidParam, limitReached, sessionNotFound } from '@agenthost/protocol';
import { type People, personProblem } from '../../auth/people.ts';
import type { Commands } from '../../handler-port/commands.ts';
import type { Sync } from '../../sync/sync.ts';

/** `x-setSessionRole` and `x-listSessionRoles`: the roles of people in sessions [AUTH-1]. */
export function roleCommands(sync: Sync, people: People): Commands {
  return {
    'x-setSessionRole': async ({ session, person, role }) => {
      const problem = personProblem(person);
      if (problem !== undefined) throw invalidParam('person', problem);
      // A role of a session that is gone ended with it.
      const channel = await sync.registry.openOf('session', session);
      if (channel === undefined) throw sessionNotFound(session);
      if (role !== undefined && !people.rolesOf(person).has(session) && people.isFull(person)) {
        const { max } = CHANNEL_LIMITS.sharesOfPerson;
        throw limitReached(`${person} has roles in ${max} sessions, the maximum`, 'sessionRoles', max);
      }
      await sync.commit('client', (tx) => people.setRole(tx, { person, session }, role));
      return {};
    },
    'x-listSessionRoles': ({ session }) => ({ items: people.shares(session) }),
  };
}
