import type { TokenScope } from '@agenthost/protocol';
import type { Caller } from '../../handler-port/channel-module.ts';
import type { Connection } from '../connection/connection.ts';

/** The caller behind a connection. */
export const callerOf = (connection: Connection): Caller => ({
  clientId: connection.online.client.id,
  tokenHash: connection.identity.tokenHash,
  isAdmin: connection.identity.scope === 'admin',
  locale: connection.online.locale,
  sink: connection,
});

/** The subject of a scope refusal: the setting `approvals: all` if the params set it, else the name of the method or action. */
export function askedFor(name: string, asked: object): string {
  const config: unknown = 'config' in asked ? asked.config : undefined;
  const isAll =
    typeof config === 'object' && config !== null && 'approvals' in config && config.approvals === 'all';
  return isAll ? '`approvals: all`' : name;
}

/** The text of a scope refusal. `what`: the method, action or setting. The CLI reads it. */
export function scopeRefusal(what: string, scope: TokenScope, least: TokenScope): string {
  const may = scope === 'observe' ? 'may only look' : 'may work in sessions and terminals, and no more';
  return `${what} takes a token of scope ${least}; this one has ${scope}, and ${may}`;
}
