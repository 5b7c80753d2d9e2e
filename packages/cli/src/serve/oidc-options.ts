import { readFile } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import type { OidcOptions, OidcRule } from '@agenthost/host';
import { TOKEN_SCOPES } from '@agenthost/protocol';
import { defined, errorText } from '@agenthost/protocol/values';
import type { Context } from '../process/context.ts';
import { usageError } from '../process/exit.ts';

/** Environment variable with the secret of the host as a client of the provider. */
const OIDC_SECRET = 'AGENTHOST_OIDC_CLIENT_SECRET';

/** The sign-in by OpenID Connect in a config file. Options of the command line replace `issuer` and `clientId`. */
export interface OidcConfig {
  readonly issuer?: string;
  readonly clientId?: string;
  /** Absolute path of a file with the client secret. Absent: the environment variable, else the host is a public client. */
  readonly clientSecretFile?: string;
  /** Name of the provider on the button. */
  readonly name?: string;
  /** Lifetime of a sign-in. Default 12. */
  readonly lifetimeHours?: number;
  /** Scopes that are requested. Default `openid email profile`. */
  readonly scopes?: string;
  /** Whether an e-mail address is used when the provider does not state whether it is verified. Default false. */
  readonly trustsEmails?: boolean;
  readonly rules: readonly OidcRule[];
}

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const MEMBERS: Readonly<Record<keyof OidcConfig, (value: unknown) => boolean>> = {
  issuer: isText,
  clientId: isText,
  clientSecretFile: (value) => typeof value === 'string' && isAbsolute(value),
  name: isText,
  lifetimeHours: (value) => typeof value === 'number' && value > 0 && value <= 8_760,
  scopes: isText,
  trustsEmails: (value) => typeof value === 'boolean',
  rules: (value) => Array.isArray(value) && value.length > 0 && value.every(isRule),
};

const RULE_KEYS: ReadonlySet<string> = new Set(['email', 'group', 'scope', 'person']);

const isRule = (value: unknown): boolean =>
  isObject(value) &&
  Object.entries(value).every(([key, member]) => RULE_KEYS.has(key) && isText(member)) &&
  TOKEN_SCOPES.some((scope) => scope === value['scope']);

/** Description of the key `oidc` of a config file. */
export const OIDC_EXPECTED =
  'an object with rules, a list such as [{"email": "*@example.org", "scope": "interact"}], and optionally issuer, clientId, clientSecretFile, name, lifetimeHours, scopes, trustsEmails';

/** Whether a value is a valid `oidc` of a config file. */
export const isOidcConfig = (value: unknown): boolean =>
  isObject(value) &&
  'rules' in value &&
  Object.entries(value).every(([key, member]) => isMember(key) && MEMBERS[key](member));

const isMember = (key: string): key is keyof OidcConfig => Object.hasOwn(MEMBERS, key);

/**
 * The sign-in by OpenID Connect; `undefined`: the host offers none. Throws a usage error for options that exclude each other, or for a secret that cannot
 * be read.
 */
export async function oidcOptions(
  flags: { readonly oidcIssuer?: string; readonly oidcClientId?: string },
  config: OidcConfig | undefined,
  environment: Context['env'],
): Promise<OidcOptions | undefined> {
  const issuer = flags.oidcIssuer ?? config?.issuer;
  const clientId = flags.oidcClientId ?? config?.clientId;
  if (issuer === undefined && clientId === undefined) return undefined;
  if (issuer === undefined || clientId === undefined)
    throw usageError('--oidc-issuer and --oidc-client-id require each other: use both');
  if (config === undefined)
    throw usageError(
      '--oidc-issuer needs rules in the config file that say who may sign in: "oidc": {"rules": [{"email": "*@example.org", "scope": "observe"}]}',
    );
  const { clientSecretFile, lifetimeHours, rules, ...rest } = config;
  const fromFile = clientSecretFile === undefined ? undefined : await readSecret(clientSecretFile);
  return {
    ...defined({ name: rest.name, scopes: rest.scopes, trustsEmails: rest.trustsEmails }),
    issuer,
    clientId,
    rules,
    ...defined({
      clientSecret: fromFile ?? (environment[OIDC_SECRET] || undefined),
      lifetimeSeconds: lifetimeHours === undefined ? undefined : Math.round(lifetimeHours * 3_600),
    }),
  };
}

async function readSecret(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw usageError(`oidc.clientSecretFile: ${file} cannot be read: ${errorText(cause)}`);
  });
  const secret = text.trim();
  if (secret === '') throw usageError(`oidc.clientSecretFile: ${file} is empty`);
  return secret;
}
