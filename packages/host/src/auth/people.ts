import type { JournalWrite } from '../journal/journal.ts';
import type { Sync } from '../sync/sync.ts';

/** Key of the journaled people. */
const KEY = 'people';
/** Longest name of a person, in UTF-16 code units. */
const MAX_PERSON = 100;

/** People as journaled. */
interface Stored {
  /** The person of each token that has one, by id of the token. */
  readonly tokens: Readonly<Record<string, string>>;
}

/** The people that access tokens belong to. */
export class People {
  /** By id of the token. */
  readonly #byToken: Map<string, string>;

  private constructor({ tokens }: Stored) {
    this.#byToken = new Map(Object.entries(tokens));
  }

  static async load({ journal }: Pick<Sync, 'journal'>): Promise<People> {
    const text = await journal.readMeta(KEY);
    // Written by `row`, below.
    const stored: Stored = text === undefined ? { tokens: {} } : JSON.parse(text);
    return new People(stored);
  }

  /** The person of a token; `undefined`: it has none. */
  personOf(tokenId: string): string | undefined {
    return this.#byToken.get(tokenId);
  }

  /** Gives a token to a person. Returns the row to write. */
  give(tokenId: string, person: string): JournalWrite {
    this.#byToken.set(tokenId, person);
    return this.#row();
  }

  /** Forgets a token. Returns the row to write; `undefined`: it had no person. */
  forget(tokenId: string): JournalWrite | undefined {
    return this.#byToken.delete(tokenId) ? this.#row() : undefined;
  }

  #row(): JournalWrite {
    const stored: Stored = { tokens: Object.fromEntries(this.#byToken) };
    return { op: 'meta', key: KEY, value: JSON.stringify(stored) };
  }
}

/**
 * Why a text cannot be the name of a person; `undefined`: it can. Names decide about rights, so a name has one spelling: no spaces at its ends
 * or in a row, no invisible characters, and the composed form of Unicode.
 */
export function personProblem(name: string): string | undefined {
  if (name.length === 0 || name.length > MAX_PERSON) return `expected 1 to ${MAX_PERSON} characters`;
  if (/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/u.test(name))
    return 'expected no control, format or unassigned characters';
  if (name !== name.normalize('NFC') || name !== name.trim() || /\s{2}|[^\S ]/u.test(name))
    return 'expected single spaces between words, none at the ends, and composed characters (Unicode NFC)';
  return undefined;
}
