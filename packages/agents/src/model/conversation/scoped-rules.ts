import { matchesGlob, posix, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isWithin, type TurnInput } from '@agenthost/host/agent';
import type { Message } from '@agenthost/protocol';

/** Rules for certain files. */
type Rules = NonNullable<TurnInput['rules']>;

/** Longest text of rules that one file brings, in UTF-16 code units. Further rules come with the next file. */
const MAX_LENGTH = 32 * 1024;

/** The rules for certain files, and those that the model of a conversation has got. */
export class ScopedRules {
  readonly #folders: readonly string[];
  #rules: Rules = [];
  /** Texts that the model got, by the id of their rule. */
  readonly #told = new Map<string, string>();

  /** `folders`: absolute paths of the working directories. */
  constructor(folders: readonly string[]) {
    this.#folders = folders;
  }

  /** Sets the rules of a turn. Returns what the model has to know of rules that are gone; '' for nothing. */
  begin(rules: Rules = []): string {
    this.#rules = rules;
    const gone = [...this.#told.keys()].filter((id) => !rules.some((rule) => rule.id === id));
    const titles = gone.map((id) => (this.#told.get(id) ?? '').split('\n')[0]?.replace(/^#+ /, ''));
    for (const id of gone) this.#told.delete(id);
    return gone.length === 0 ? '' : `These rules no longer hold: ${titles.join('; ')}`;
  }

  /** The rules for files that the model has not got yet, as text for it; '' for none. `paths`: absolute, or from the first folder. */
  textFor(paths: readonly string[]): string {
    let length = 0;
    const texts = this.#rules.flatMap(({ id, globs, text }) => {
      if (this.#told.get(id) === text || length + text.length > MAX_LENGTH) return [];
      if (!paths.some((path) => this.#matches(path, globs))) return [];
      length += text.length;
      this.#told.set(id, text);
      return [text];
    });
    return texts.length === 0 ? '' : `<rules>\n${texts.join('\n\n')}\n</rules>`;
  }

  /** The model has lost what it got. */
  forget(): void {
    this.#told.clear();
  }

  /** The same rules for a conversation that has got none. */
  fresh(): ScopedRules {
    const fresh = new ScopedRules(this.#folders);
    fresh.begin(this.#rules);
    return fresh;
  }

  #matches(path: string, globs: readonly string[]): boolean {
    const [first = '/'] = this.#folders;
    const absolute = resolve(first, path);
    return this.#folders.some((folder) => {
      if (!isWithin(absolute, folder)) return false;
      const inside = relative(folder, absolute).split(sep).join('/');
      return globs.some((glob) =>
        glob.includes('/')
          ? matchesGlob(inside, glob.replace(/^\.?\//, ''))
          : matchesGlob(posix.basename(inside), glob),
      );
    });
  }
}

/** Absolute paths of the files that a message attaches. */
export const attachedPaths = ({ attachments = [] }: Pick<Message, 'attachments'>): string[] =>
  attachments.flatMap((attachment) =>
    'uri' in attachment && typeof attachment.uri === 'string' && attachment.uri.startsWith('file:///')
      ? [fileURLToPath(attachment.uri)]
      : [],
  );
