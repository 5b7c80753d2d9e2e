import {
  alreadyExists,
  conflict,
  internalError,
  invalidParam,
  notFound,
  TEXT_LIMITS,
} from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { AccessTokens, MAX_TOKENS, TOKEN_REVOKED } from '../../auth/access-tokens.ts';
import { OwnerTokens } from '../../auth/owner-tokens.ts';
import { People, personProblem } from '../../auth/people.ts';
import { Answer } from '../../handler-port/answer.ts';
import type { Commands } from '../../handler-port/commands.ts';
import type { Clock, Ids, Timers } from '../../lib/clock.ts';
import type { SessionListing } from '../../sessions/catalogue.ts';
import type { Sync } from '../../sync/sync.ts';
import type { Feature } from '../feature.ts';
import { roleCommands } from './roles.ts';

const MAX_NAME_LENGTH = TEXT_LIMITS.tokenName.max;
const MAX_LIFETIME_SECONDS = 315_360_000;

const NOT_DURABLE =
  'The token is revoked and its connections are closed, but the host cannot write its journal now. It stores the revocation as soon as it can; if it restarts before, the token is valid again';

/** `x-createToken`, `x-listTokens` and `x-revokeToken` [AUTH-1]. */
function tokenCommands(tokens: AccessTokens): Commands {
  return {
    'x-createToken': async ({ name, person, scope, lifetimeSeconds }) => {
      if (name !== undefined && !(name.length <= MAX_NAME_LENGTH && /^[^\p{Cc}\p{Cs}]+$/u.test(name))) {
        throw invalidParam(
          'name',
          `expected 1 to ${MAX_NAME_LENGTH} characters without control characters and lone surrogates`,
        );
      }
      const problem = person === undefined ? undefined : personProblem(person);
      if (problem !== undefined) throw invalidParam('person', problem);
      const isWhole = lifetimeSeconds === undefined || Number.isInteger(lifetimeSeconds);
      if (!isWhole || (lifetimeSeconds ?? 1) < 1 || (lifetimeSeconds ?? 1) > MAX_LIFETIME_SECONDS) {
        throw invalidParam('lifetimeSeconds', `expected a whole number from 1 to ${MAX_LIFETIME_SECONDS}`);
      }
      const all = tokens.list();
      if (name !== undefined && all.some((token) => token.name === name))
        throw alreadyExists('token', name, 'name');
      const made = await tokens.create({
        ...defined({ name, person, scope, lifetimeSeconds }),
      });
      if (made === undefined) {
        throw conflict(`There are ${MAX_TOKENS} tokens, the maximum: revoke unused ones`);
      }
      return made;
    },
    'x-listTokens': () => ({ items: tokens.list() }),
    'x-revokeToken': async ({ id }, { sink, tokenHash }) => {
      const revoked = await tokens.revoke(id, sink);
      if (revoked === undefined) throw notFound('token', id);
      const answer = revoked.isDurable
        ? Answer.behindCommit(null)
        : Answer.refusal(internalError(NOT_DURABLE));
      return revoked.tokenHash === tokenHash ? answer.thenClose(TOKEN_REVOKED) : answer;
    },
  };
}

/** The owner's token, and the access tokens that the owner creates for others [AUTH-1]. */
export async function tokensFeature(parts: {
  readonly sync: Sync;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly ids: Ids;
  readonly listing: SessionListing;
}): Promise<
  Feature & {
    readonly accessTokens: AccessTokens;
    readonly ownerTokens: OwnerTokens;
    readonly people: People;
  }
> {
  const people = await People.load(parts.sync);
  const accessTokens = await AccessTokens.load({ ...parts, people });
  return {
    name: 'tokens',
    accessTokens,
    people,
    ownerTokens: await OwnerTokens.load(parts.sync),
    commands: { ...tokenCommands(accessTokens), ...roleCommands(parts.sync, people) },
    observe: () =>
      parts.listing.onChange((tx, uri, by) => {
        if (by === -1) people.endSession(tx, uri);
      }),
    stop: () => accessTokens.end(),
  };
}
