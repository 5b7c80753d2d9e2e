import type { Context } from './context.ts';

/** An environment without the secrets of agenthost, which other programs must not get. */
export function withoutOwnSecrets({
  AGENTHOST_TOKEN: _token,
  AGENTHOST_JOURNAL_PASSWORD: _password,
  AGENTHOST_OIDC_CLIENT_SECRET: _secret,
  ...env
}: Context['env']): Context['env'] {
  return env;
}
