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

/** What a token is too little for: with `approvals: all` that setting, rather than the method or action that brings it. */
export function askedFor(name: string, asked: object): string {
  const config: unknown = 'config' in asked ? asked.config : undefined;
  const isAll =
    typeof config === 'object' && config !== null && 'approvals' in config && config.approvals === 'all';
  return isAll ? '`approvals: all`' : name;
}

/** Why a token does not do, for people. `what`: the method or action. */
export function scopeRefusal(what: string, scope: TokenScope, least: TokenScope): string {
  const may = scope === 'observe' ? 'may only look' : 'may work in sessions and terminals, and no more';
  return `${what} takes a token of scope ${least}; this one has ${scope}, and ${may}`;
}
