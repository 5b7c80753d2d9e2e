import type { TokenScope } from '@agenthost/protocol';

/** Why a token does not do, for people. `what`: the method or action. */
export function scopeRefusal(what: string, scope: TokenScope, least: TokenScope): string {
  const may = scope === 'observe' ? 'may only look' : 'may work in sessions and terminals, and no more';
  return `${what} takes a token of scope ${least}; this one has ${scope}, and ${may}`;
}
