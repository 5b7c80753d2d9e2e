import { isObject } from './entry.ts';

/** Text in place of a secret. */
export const REMOVED = '[removed]';

/** Members whose text is a secret wherever they are. `progressToken` and cursors are not. */
const SECRET_NAME =
  /(?:^|[a-z_-])(?:(?<!progress_?)token|secret|password|passphrase|authorization|cookie|api_?key|private_?key)$/i;

/** Members that hold environment variables: names stay, values go. */
const ENVIRONMENT_NAME = /^(?:x-)?env$/;

/** Parameters of a URL that are secrets. */
const SECRET_PARAMETER = /([?&](?:tkn|token|access_token|code|key|sig|signature)=)[^&#\s"]+/gi;

/** Levels that are searched; deeper values are replaced as a whole. Hosts refuse deeper messages. */
const MAX_DEPTH = 130;

/**
 * A copy of a message without secrets: tokens, passwords, values of environment variables, secret parameters of
 * URLs, and everything that is typed into terminals. A value without secrets is returned as it is.
 */
export function withoutSecrets(value: unknown, depth = 0): unknown {
  if (typeof value === 'string')
    return value.includes('=') ? value.replace(SECRET_PARAMETER, `$1${REMOVED}`) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_DEPTH) return REMOVED;
  if (Array.isArray(value)) {
    const items = value.map((item) => withoutSecrets(item, depth + 1));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  const isTyped = 'type' in value && value.type === 'terminal/input';
  let isChanged = false;
  const entries = Object.entries(value).map(([name, member]): [string, unknown] => {
    const cleaned = cleanMember(name, member, isTyped, depth);
    isChanged ||= cleaned !== member;
    return [name, cleaned];
  });
  return isChanged ? Object.fromEntries(entries) : value;
}

function cleanMember(name: string, member: unknown, isTyped: boolean, depth: number): unknown {
  if (typeof member === 'string') {
    if (isTyped && name === 'data') return REMOVED;
    // An empty token revokes, and is no secret.
    if (SECRET_NAME.test(name) && member !== '') return REMOVED;
  }
  if (ENVIRONMENT_NAME.test(name) && isObject(member))
    return Object.fromEntries(Object.keys(member).map((key) => [key, REMOVED]));
  return withoutSecrets(member, depth + 1);
}
