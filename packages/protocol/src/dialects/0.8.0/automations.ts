import { dropping, isObject, type Json } from '../reshape.ts';
import type { Reshaping } from '../step.ts';

/** Sessions and messages of automations looked like others. */
export const automations: Reshaping = {
  down: {
    shapes: {
      InitializeResult: dropping('automations'),
      SessionState: withoutOrigin,
      SessionSummary: withoutOrigin,
      MessageOrigin: (origin) =>
        origin.kind === 'automation' ? { ...origin, kind: 'systemNotification' } : origin,
    },
  },
};

const drop = dropping('origin');

function withoutOrigin(session: Json): Json {
  return isObject(session.origin) && session.origin.kind === 'automation' ? drop(session) : session;
}
