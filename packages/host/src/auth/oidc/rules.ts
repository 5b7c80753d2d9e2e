import type { TokenScope } from '@agenthost/protocol';
import { personProblem } from '../people.ts';

/** The rights of people who sign in. A rule with `email` and `group` requires both. */
export interface OidcRule {
  /** An address, or `*@example.org` for all addresses of a domain. Compared without case. Absent: any person. */
  readonly email?: string;
  /** An entry of the claim `groups`. Absent: any. */
  readonly group?: string;
  /** The scope of the token. With `none` the person sees only shared sessions. */
  readonly scope: TokenScope;
  /** The name of the person. Only for a rule with the address of one person. Absent: the address. */
  readonly person?: string;
}

/** The claims of an ID token that rules use. The signature of the token was checked. */
export interface OidcClaims {
  readonly sub: string;
  readonly email?: unknown;
  readonly email_verified?: unknown;
  readonly groups?: unknown;
}

/** A person whom a rule admits. */
export interface Admitted {
  readonly person: string;
  readonly scope: TokenScope;
}

/** The fault of a rule; `undefined` for a valid rule. */
export function ruleProblem({ email, group, person }: OidcRule): string | undefined {
  if (email !== undefined && !/^(?:\*|[^\s@*]+)@[^\s@*]+$/.test(email))
    return `email: expected an address or "*@example.org", got ${JSON.stringify(email)}`;
  if (email === undefined && (group === undefined || group === '')) return 'expected email, group or both';
  if (person === undefined) return undefined;
  // Two people of one name would have each other's roles.
  if (email === undefined || email.startsWith('*'))
    return 'person: only for a rule with the email of one person';
  const problem = personProblem(person);
  return problem && `person: ${problem}`;
}

/**
 * The person and the scope of the first rule that matches the claims; a text with the reason if none matches. An address is used only if the provider has
 * verified it, or with `trustsEmails` also if the provider does not state whether it has.
 */
export function admit(
  claims: OidcClaims,
  rules: readonly OidcRule[],
  trustsEmails: boolean,
): Admitted | string {
  const isVerified = claims.email_verified === true || (trustsEmails && claims.email_verified === undefined);
  const email =
    typeof claims.email === 'string' && isVerified ? claims.email.trim().toLowerCase() : undefined;
  const groups = Array.isArray(claims.groups) ? claims.groups : [];
  const rule = rules.find(
    (each) =>
      (each.email === undefined || (email !== undefined && fits(email, each.email.toLowerCase()))) &&
      (each.group === undefined || groups.includes(each.group)),
  );
  if (rule === undefined)
    return email === undefined
      ? 'no rule of this host admits you: the provider sent no verified e-mail address'
      : `no rule of this host admits ${email}`;
  // Some providers let people choose their subject: it must not be the name or the address of another person.
  const person = rule.person ?? email ?? `sub:${claims.sub}`;
  const problem = personProblem(person);
  if (problem !== undefined) return `${JSON.stringify(person)} cannot be the name of a person: ${problem}`;
  return { person, scope: rule.scope };
}

const fits = (email: string, pattern: string): boolean =>
  pattern.startsWith('*') ? email.slice(email.lastIndexOf('@')) === pattern.slice(1) : email === pattern;
