import {
  CHANNEL_LIMITS,
  type SessionRole,
  type SessionShare,
  TEXT_LIMITS,
  TOKEN_SCOPES,
} from '@agenthost/protocol';
import type { JournalWrite } from '../journal/journal.ts';
import type { Sync } from '../sync/sync.ts';
import type { Tx } from '../sync/tx.ts';

/** Key of the journaled people. */
const KEY = 'people';
/** Limit of roles of all people, because one row has all of them. */
const MAX_ROLES = 20_000;

/** The roles of a person, by session. */
export type Roles = ReadonlyMap<string, SessionRole>;

/** People as journaled. */
interface Stored {
  /** The person of each token that has one, by id of the token. */
  readonly tokens: Readonly<Record<string, string>>;
  /** Ids of the tokens that were made by a sign-in. Absent: none. */
  readonly signIns?: readonly string[];
  /** The roles of each person, by session. Absent: none. */
  readonly roles?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

const NO_ROLES: Roles = new Map();

const isRole = (role: string): role is SessionRole =>
  role !== 'none' && TOKEN_SCOPES.some((scope) => scope === role);

/** The people that access tokens belong to, and their roles in sessions. */
export class People {
  /** By id of the token. */
  readonly #byToken: Map<string, string>;
  /** Ids of the tokens that were made by a sign-in. */
  readonly #signIns: Set<string>;
  /** By person. */
  readonly #roles = new Map<string, Map<string, SessionRole>>();
  readonly #changed: ((person: string) => void)[] = [];

  private constructor({ tokens, signIns = [], roles = {} }: Stored) {
    this.#signIns = new Set(signIns);
    this.#byToken = new Map(Object.entries(tokens));
    for (const [person, stored] of Object.entries(roles)) {
      // A role of a newer host gives no rights.
      const known = Object.entries(stored).flatMap(([session, role]): [string, SessionRole][] =>
        isRole(role) ? [[session, role]] : [],
      );
      this.#roles.set(person, new Map(known));
    }
  }

  static async load({ journal }: Pick<Sync, 'journal'>): Promise<People> {
    const text = await journal.readMeta(KEY);
    // Written by `row`, below.
    const stored: Stored = text === undefined ? { tokens: {} } : JSON.parse(text);
    return new People(stored);
  }

  /** Calls the listener after each change of roles, with the person. */
  onChanged(listener: (person: string) => void): void {
    this.#changed.push(listener);
  }

  /** The person of a token; `undefined`: it has none. */
  personOf(tokenId: string): string | undefined {
    return this.#byToken.get(tokenId);
  }

  /** Whether a token was made by a sign-in. */
  isSignIn(tokenId: string): boolean {
    return this.#signIns.has(tokenId);
  }

  /** The present roles of a person. */
  rolesOf(person: string | undefined): Roles {
    return (person === undefined ? undefined : this.#roles.get(person)) ?? NO_ROLES;
  }

  /** All roles, by session and then by person. `session`: only those in it. */
  shares(session?: string): SessionShare[] {
    return [...this.#roles]
      .flatMap(([person, roles]) => [...roles].map(([uri, role]) => ({ session: uri, person, role })))
      .filter((share) => session === undefined || share.session === session)
      .toSorted((a, b) => compare(a.session, b.session) || compare(a.person, b.person));
  }

  /** Whether one more role of this person would exceed a limit. */
  isFull(person: string): boolean {
    let count = 0;
    for (const { size } of this.#roles.values()) count += size;
    return count >= MAX_ROLES || this.rolesOf(person).size >= CHANNEL_LIMITS.sharesOfPerson.max;
  }

  /** Gives a token to a person. `isSignIn`: it was made by a sign-in. Then {@link row} has to be written. */
  give(tokenId: string, person: string, isSignIn: boolean): void {
    this.#byToken.set(tokenId, person);
    if (isSignIn) this.#signIns.add(tokenId);
  }

  /** Forgets a token. Returns whether it had a person: then {@link row} has to be written. */
  forget(tokenId: string): boolean {
    this.#signIns.delete(tokenId);
    return this.#byToken.delete(tokenId);
  }

  /** Sets or ends the role of a person in a session. The change applies at once, and is undone if the commit fails. */
  setRole(tx: Tx, { person, session }: Omit<SessionShare, 'role'>, role: SessionRole | undefined): void {
    const before = this.rolesOf(person).get(session);
    if (before === role) return;
    this.#put(person, session, role);
    tx.write(this.row());
    tx.undo(() => this.#put(person, session, before));
  }

  /** Ends all roles in a session that is removed. A later session may have its URI. */
  endSession(tx: Tx, session: string): void {
    for (const { person } of this.shares(session)) this.setRole(tx, { person, session }, undefined);
  }

  #put(person: string, session: string, role: SessionRole | undefined): void {
    const roles = this.#roles.get(person) ?? new Map<string, SessionRole>();
    if (role === undefined) roles.delete(session);
    else roles.set(session, role);
    if (roles.size === 0) this.#roles.delete(person);
    else this.#roles.set(person, roles);
    for (const listener of this.#changed) listener(person);
  }

  /** The row with the present people. */
  row(): JournalWrite {
    const stored: Stored = {
      tokens: Object.fromEntries(this.#byToken),
      ...(this.#signIns.size === 0 ? {} : { signIns: [...this.#signIns] }),
      roles: Object.fromEntries(
        [...this.#roles].map(([person, roles]) => [person, Object.fromEntries(roles)]),
      ),
    };
    return { op: 'meta', key: KEY, value: JSON.stringify(stored) };
  }
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/**
 * Why a text cannot be the name of a person; `undefined` for a valid name. Rights depend on names, so a name has one spelling: no spaces at its ends
 * or in a row, no invisible characters, and the composed form of Unicode.
 */
export function personProblem(name: string): string | undefined {
  const { max } = TEXT_LIMITS.tokenName;
  if (name.length === 0 || name.length > max) return `expected 1 to ${max} characters`;
  if (/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/u.test(name))
    return 'expected no control, format or unassigned characters';
  if (name === '__proto__') return 'is reserved';
  if (name !== name.normalize('NFC') || name !== name.trim() || /\s{2}|[^\S ]/u.test(name))
    return 'expected single spaces between words, none at the ends, and composed characters (Unicode NFC)';
  return undefined;
}
