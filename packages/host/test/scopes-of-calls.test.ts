import { isWithinScope, TOKEN_SCOPES } from '@agenthost/protocol';
import { expect, test } from 'vitest';
import { CALLS } from './calls.ts';
import { startHost } from './host-fixture.ts';

const TOO_LITTLE = 'takes a token of scope';

test.each(Object.entries(CALLS))(
  '[AUTH-1] %s requires its scope, and without it does nothing',
  async (method, [least, params]) => {
    const host = await startHost();
    await host.session(await host.client());
    for (const scope of TOKEN_SCOPES.filter((each) => each !== 'none')) {
      const client = await host.client(`of ${scope}`, {}, { tokenHash: scope, scope });
      const { emittedSeq } = host.host.core.sync;
      const error = await client.raw(method, params).then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      if (isWithinScope(scope, least)) {
        // The call passed the scope check, and failed later, for example because a file lies outside the roots.
        expect(String(error)).not.toContain(TOO_LITTLE);
        continue;
      }
      // A method that this host does not have is refused for every scope. A served method with invalid params would be refused for its
      // params.
      const isServed = Object.hasOwn(host.host.core.features.commands, method);
      expect(error).toMatchObject(
        isServed ? { code: -32009, message: expect.stringContaining(TOO_LITTLE) } : { code: -32601 },
      );
      expect(host.host.core.sync.emittedSeq).toBe(emittedSeq);
    }
    host.kill();
  },
);
