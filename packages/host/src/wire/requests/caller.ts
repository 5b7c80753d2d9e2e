import type { Author, ScopeRefusal, TokenScope } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import type { Caller } from '../../handler-port/channel-module.ts';
import type { Connection } from '../connection/connection.ts';

/** The caller behind a connection. */
export const callerOf = (connection: Connection): Caller => ({
  clientId: connection.online.client.id,
  tokenHash: connection.identity.tokenHash,
  ...defined({ signInHash: connection.identity.signInHash }),
  scope: connection.identity.scope,
  ...(connection.sight.isWhole ? {} : { sessions: connection.sight.roles }),
  isAdmin: connection.identity.scope === 'admin',
  locale: connection.online.locale,
  author: authorOf(connection),
  sink: connection,
});

/** The author of what the client of a connection does. */
export function authorOf({ online: { client }, person }: Connection): Author {
  return { clientId: client.id, ...client.names, ...defined({ person }) };
}

/** Why a token does not do. `name`: the method or the action. */
export function scopeRefusal(
  name: string,
  asked: object,
  { held, needed }: Pick<ScopeRefusal, 'held' | 'needed'>,
): ScopeRefusal {
  const setting = needed === 'admin' && asksForAll(asked) ? { setting: 'approvals' } : {};
  return { kind: 'scope', needed, held, asked: name, ...setting };
}

/** The same as a sentence. With `approvals: all` it names that setting, not the method or action that brings it. */
export function scopeSentence({ asked, setting, needed, held }: ScopeRefusal): string {
  const what = setting === undefined ? asked : '`approvals: all`';
  return `${what} takes a token of scope ${needed}; this one has ${held}, and ${MAY[held]}`;
}

const MAY: Readonly<Record<TokenScope, string>> = {
  none: 'may only do what a role in a session allows',
  observe: 'may only look',
  interact: 'may work in sessions and terminals, and no more',
  admin: 'may do everything else',
};

/** Why a role in a session is not enough for a part of a request or action. */
export const beyondSentence = (name: string, part: string): string =>
  `${name}: ${part} takes a token that may work on the host, not only in this session`;

function asksForAll(asked: object): boolean {
  const config: unknown = 'config' in asked ? asked.config : undefined;
  return typeof config === 'object' && config !== null && 'approvals' in config && config.approvals === 'all';
}
