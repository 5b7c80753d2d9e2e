/** Limit of the output of git in an error, in UTF-16 code units. The end tells the reason. */
const MAX_TEXT = 4_000;

/**
 * The user's git has not done what it was asked for. `code`: `refused`: git or a hook said no, and the message holds its words; `late`: it
 * took longer than its limit; `stopped`: the host has ended it; `missing`: there is no git program.
 */
export class GitRefusal extends Error {
  override readonly name = 'GitRefusal';
  readonly code: 'refused' | 'late' | 'stopped' | 'missing';

  constructor(code: GitRefusal['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/** What a person can do about a refusal, by what git says. */
const ADVICE: readonly (readonly [RegExp, string])[] = [
  [
    /terminal prompts disabled|could not read (?:Username|Password)|Authentication failed|Permission denied \(|Invalid username or (?:password|token)/i,
    'The host cannot ask for a password. Set up a credential helper, or an SSH key without a passphrase or in an agent, for the user that runs the host',
  ],
  [
    /Host key verification failed/i,
    'Connect once by ssh in a terminal, as the user that runs the host, to accept the key of the server',
  ],
  [
    /gpg failed to sign|failed to write commit object|couldn't (?:load|sign|find) (?:public )?key/i,
    'The host cannot ask for the passphrase of a signing key: unlock the key in a terminal, or set commit.gpgSign to false',
  ],
  [
    /Please tell me who you are|empty ident name|unable to auto-detect email/i,
    'Set user.name and user.email in the configuration of git, for the user that runs the host',
  ],
  [
    /non-fast-forward|fetch first|\[rejected\]/i,
    'The remote branch has commits that this branch lacks: pull first',
  ],
  [
    /index\.lock|Another git process seems to be running/i,
    'Another git process works in this repository: try again when it has ended',
  ],
];

/** The words of git for people: without escape sequences, hints and passwords, and with advice where there is one. */
export function refusalText(what: string, output: string): string {
  const text = output
    // Sequences of terminals, and other control characters but the end of a line.
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
    .replace(/\u001b\[[ -?]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)/g, '')
    .replace(/\r\n?/g, '\n')
    .replace(/[^\P{Cc}\n\t]/gu, '')
    .replace(/(:\/\/)[^/@\s]*@/g, '$1')
    .split('\n')
    .filter((line) => !line.startsWith('hint:'))
    .join('\n')
    .trim();
  const shown = text.length > MAX_TEXT ? `…${text.slice(-MAX_TEXT).replace(/^[\udc00-\udfff]/, '')}` : text;
  const advice = ADVICE.find(([pattern]) => pattern.test(text))?.[1];
  return `${what}${shown === '' ? '' : `: ${shown}`}${advice === undefined ? '' : `\n${advice}`}`;
}
