/** The line that `hosts link` prints before it forwards the bytes of a host. */
export interface Greeting {
  /** Version of the program that printed it. */
  readonly agenthost: string;
  /** Address of the host on its own machine. Absent: no host runs. */
  readonly url?: string;
  /** The owner's token. */
  readonly token?: string;
  /** The host was started for this connection. */
  readonly isNew?: boolean;
}

const NEWLINE = 0x0a;

/** The greeting as a line. It has no line break within. */
export const greetingLine = (greeting: Greeting): string => `${JSON.stringify(greeting)}\n`;

/**
 * Finds the greeting in the output of another machine, and returns it with the bytes after it. Skips lines before the greeting: a login shell may print
 * them. `undefined`: the greeting is not complete yet.
 */
export function readGreeting(bytes: Buffer): { greeting: Greeting; rest: Buffer } | undefined {
  let start = 0;
  for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
    const greeting = parse(bytes.toString('utf8', start, end));
    start = end + 1;
    if (greeting !== undefined) return { greeting, rest: bytes.subarray(start) };
  }
  return undefined;
}

function parse(line: string): Greeting | undefined {
  if (!line.startsWith('{"agenthost":')) return undefined;
  try {
    const value: unknown = JSON.parse(line);
    return isGreeting(value) ? value : undefined;
  } catch {
    // Some other program's line.
    return undefined;
  }
}

function isGreeting(value: unknown): value is Greeting {
  if (typeof value !== 'object' || value === null) return false;
  const members = new Map<string, unknown>(Object.entries(value));
  const isOptionalText = (key: string): boolean => !members.has(key) || typeof members.get(key) === 'string';
  const url = members.get('url');
  return (
    typeof members.get('agenthost') === 'string' &&
    isOptionalText('token') &&
    (url === undefined || (typeof url === 'string' && /^(?:https?|wss?):/.test(url) && URL.canParse(url)))
  );
}
