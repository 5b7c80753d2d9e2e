import type { AutomationDefinition } from '@agenthost/protocol';
import { expect, test } from 'vitest';
import { checkDefinition } from './definition-rules.ts';

test('[AUTO-7] triggers that were saved before are not checked again', () => {
  const definition: AutomationDefinition = {
    title: 'x',
    message: { text: 'x', origin: { kind: 'automation' } },
    session: {},
    enabled: true,
    triggers: [
      { id: 'e', kind: 'event', type: 'of another version', title: 'x', events: [], config: { a: 1 } },
    ],
  };
  const check = (areTriggersNew: boolean) =>
    checkDefinition(definition, 1, { isAdmin: true, areTriggersNew, takesPlugins: false })?.code;
  expect([check(true), check(false)]).toEqual(['invalidAutomation', undefined]);
});
