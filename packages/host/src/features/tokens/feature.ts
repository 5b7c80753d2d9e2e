import { AccessTokens } from '../../auth/access-tokens.ts';
import { OwnerTokens } from '../../auth/owner-tokens.ts';
import type { Clock, Ids, Timers } from '../../lib/clock.ts';
import type { Sync } from '../../sync/sync.ts';
import type { Feature } from '../feature.ts';
import { tokenCommands } from './commands.ts';

/** The owner's token, and the access tokens that the owner creates for others [AUTH-1]. */
export async function tokensFeature(parts: {
  readonly sync: Sync;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly ids: Ids;
}): Promise<Feature & { readonly accessTokens: AccessTokens; readonly ownerTokens: OwnerTokens }> {
  const accessTokens = await AccessTokens.load(parts);
  return {
    name: 'tokens',
    accessTokens,
    ownerTokens: await OwnerTokens.load(parts.sync),
    commands: tokenCommands(accessTokens),
    stop: () => accessTokens.end(),
  };
}
