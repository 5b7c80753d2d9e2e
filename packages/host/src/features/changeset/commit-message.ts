import { cleanLine } from '../../lib/clean-line.ts';

/** The usual limit of the first line of a commit message, in characters. */
const MAX_LENGTH = 72;

/** A message of a person to the agent. */
export interface PersonMessage {
  readonly text: string;
  /** Whether the message sends comments on files. Its text then refers to them, such as "Please address these comments". */
  readonly hasComments: boolean;
}

/** The facts from which a commit message is proposed. */
export interface CommitFacts {
  /** Of the session. */
  readonly title: string;
  /** Whether the title was chosen by the agent or by a person. Otherwise it is the beginning of the first message. */
  readonly isTitleChosen: boolean;
  /** Messages of people, the newest first. */
  readonly messages: readonly PersonMessage[];
  /** The first line of the last commit. Absent: there is none. */
  readonly lastSubject?: string | undefined;
  /** The names of the changed files. */
  readonly names: readonly string[];
}

/** Words of courtesy before the verb. */
const COURTESY =
  /^(?:(?:please|now|then|also|and|so|ok|okay|hi|hello|hey|thanks|great|good|next|can you|could you|would you|will you|i want you to|i would like you to|i'd like you to|i need you to|we need to|we should|you should|let's|let us|go ahead and|help me(?: to)?)\b[\s,.:!-]*)+/i;

/** A proposed message of a commit: one line in the imperative, from what people have asked for. */
export function proposedMessage({ title, isTitleChosen, messages, lastSubject, names }: CommitFacts): string {
  // The task of the turn before says more about the commit than the comments on its result.
  const task = messages.find(({ hasComments }) => !hasComments);
  const ordered = [...(task === undefined ? [] : [task]), ...messages];
  const candidates = [...(isTitleChosen ? [title] : []), ...ordered.map(({ text }) => text), title];
  for (const candidate of candidates) {
    const line = imperative(candidate);
    if (line !== undefined && line !== lastSubject) return line;
  }
  const [first] = names;
  if (first === undefined) return 'Update files';
  return cleanLine(
    names.length === 1 ? `Update ${first}` : `Update ${first} and ${names.length - 1} more`,
    MAX_LENGTH,
  );
}

/** The first line of a text as an order. `undefined` if it says too little, such as `yes, go on`. */
function imperative(text: string): string | undefined {
  const [sentence = ''] = cleanLine(text.trimStart().split(/\r?\n/, 1)[0] ?? '', 1_000)
    .replaceAll('\u2019', "'")
    .replace(COURTESY, '')
    .split(/(?<=[.!?])\s/);
  const line = sentence.replace(/[\s.!?:;,]+$/u, '').replace(/\s*,?\s*(?:please|thanks|thank you)$/i, '');
  if (line.split(' ').length < 2 || line.length < 8) return undefined;
  const [first = ''] = line;
  return cut(`${first.toLocaleUpperCase('en')}${line.slice(first.length)}`);
}

/** Cuts a line at the end of a word. */
function cut(line: string): string {
  if (line.length <= MAX_LENGTH) return line;
  const start = line.slice(0, MAX_LENGTH + 1);
  const end = start.lastIndexOf(' ');
  return end > MAX_LENGTH / 2 ? start.slice(0, end).replace(/[\s.,:;-]+$/u, '') : cleanLine(line, MAX_LENGTH);
}
