import { readComment, readComments, readReply, readResolve } from './comments.ts';
import { readForm } from './questions.ts';
import { alone, ask, change, count, fileAndText, named, within } from './rest-of-line.ts';
import { signIn } from './sign-in.ts';
import type { Step } from './step.ts';

/** One word of the demo agent's language. */
export interface DemoKeyword {
  readonly words: readonly string[];
  /** The arguments, for people. */
  readonly usage: string;
  readonly description: string;
  /** True: the arguments extend to the end of the line and may contain `;`. */
  readonly takesLine?: true;
  /** Reads the arguments. `undefined` when they are invalid; the line is then plain talk. */
  readonly read: (rest: string) => Step | undefined;
}

const DEFAULT_CHUNK_COUNT = 200;
const DEFAULT_WAIT_MS = 1_000;
/** Limits, so that a prompt cannot keep the host busy or exhaust its memory. */
const MAX_CHUNKS = { of: 'stream', most: 1_000_000, unit: 'chunks' };
const MAX_CHUNK_BYTES = { of: 'stream … of', most: 1024 * 1024, unit: 'bytes' };
const MAX_PARTS = { of: 'parts', most: 5_000, unit: 'parts' };
const MAX_KIBIBYTES = { of: 'big', most: 4 * 1024, unit: 'KiB' };
const MAX_STEPS = { of: 'progress', most: 1_000, unit: 'steps' };

/**
 * The language of the demo agent. A prompt is read line by line (`;` separates as well). A line that starts
 * with one of these words is executed, any other line is answered in plain text.
 */
export const keywords: readonly DemoKeyword[] = [
  {
    words: ['say'],
    usage: '<text>',
    description: 'streams the text as Markdown',
    read: (text) => (text === '' ? undefined : { kind: 'say', text }),
  },
  {
    words: ['reason', 'think'],
    usage: '[text]',
    description: 'streams reasoning',
    read: (text) => ({ kind: 'reason', text }),
  },
  {
    words: ['stream', 'long'],
    usage: '[n] [every <ms>] [of <bytes>]',
    description:
      'streams n numbered chunks (default 200, at most 1,000,000); `every 0` sends them without pauses, `of` sets the size of each, up to 1 MiB',
    read: (rest) => {
      const chunkCount = count(rest.replace(/\b(every|of)\b[^]*$/i, ''), DEFAULT_CHUNK_COUNT);
      if (chunkCount === undefined) return undefined;
      const chunkBytes = named(rest, 'of');
      const step = within(MAX_CHUNKS, chunkCount, {
        kind: 'stream',
        chunkCount,
        everyMs: named(rest, 'every'),
        chunkBytes,
      });
      return within(MAX_CHUNK_BYTES, chunkBytes, step);
    },
  },
  {
    words: ['parts'],
    usage: '<n>',
    description: 'adds n response parts (at most 5,000), alternately Markdown and reasoning',
    read: (rest) => {
      const partCount = count(rest, 10);
      return partCount === undefined ? undefined : within(MAX_PARTS, partCount, { kind: 'parts', partCount });
    },
  },
  {
    words: ['write'],
    usage: '<file> [text]',
    description:
      'asks, then writes the file in the working directory; the input can be edited before approval',
    read: (rest) => change('write', rest),
  },
  {
    words: ['edit'],
    usage: '<file> [text]',
    description: 'asks, then adds a line to a file that exists',
    read: (rest) => change('edit', rest),
  },
  {
    words: ['read'],
    usage: '<file>',
    description: 'reads a file without asking',
    read: (rest) => {
      const found = fileAndText(rest);
      return found && found.text === '' ? { kind: 'read', path: found.path } : undefined;
    },
  },
  {
    words: ['list', 'auto'],
    usage: '[folder]',
    description: 'lists a folder without asking',
    read: (rest) => (/\s/.test(rest) ? undefined : { kind: 'list', path: rest === '' ? '.' : rest }),
  },
  {
    words: ['ask'],
    usage: '[options|always|edit|twice|result]',
    description:
      'a call that waits for approval: plain, with several options, with a permanent option, with editable input, again while it runs, or for its result',
    read: ask,
  },
  {
    words: ['question'],
    usage: 'text|number|integer|boolean|single|multi … | form | url [required] [free]',
    description:
      'asks people and repeats their answers: questions of these kinds, of all kinds, or a page to open; `required` questions cannot be skipped, `free` allows free-form answers',
    read: (rest) => {
      const form = readForm(rest);
      return form && { kind: 'question', form };
    },
  },
  {
    words: ['signin'],
    usage: '',
    description: 'a call of an MCP tool that waits for an access token, and goes on with any',
    read: (rest) => alone(rest, { kind: 'added', run: signIn }),
  },
  {
    words: ['run'],
    usage: '<command>',
    description:
      'asks, then runs a command in a terminal and waits until it ends or is sent to the background; takes the whole line',
    takesLine: true,
    read: (command) => (command === '' ? undefined : { kind: 'run', command }),
  },
  {
    words: ['serve'],
    usage: '<command>',
    description:
      'asks, then starts a command in a terminal and leaves it running in the background; takes the whole line',
    takesLine: true,
    read: (command) => (command === '' ? undefined : { kind: 'serve', command }),
  },
  {
    words: ['peek'],
    usage: '',
    description: 'shows the output of the terminal used last',
    read: (rest) => alone(rest, { kind: 'peek' }),
  },
  {
    words: ['type'],
    usage: '<text>',
    description: 'types a line into the terminal used last; takes the whole line',
    takesLine: true,
    read: (text) => (text === '' ? undefined : { kind: 'type', text }),
  },
  {
    words: ['kill'],
    usage: '',
    description: 'ends the program in the terminal used last',
    read: (rest) => alone(rest, { kind: 'kill' }),
  },
  {
    words: ['tool'],
    usage: '<name> [JSON]',
    description:
      'runs a tool of a client or of an MCP server with this input and reports its answer; takes the whole line',
    takesLine: true,
    read: (rest) => {
      const [, name, input] = /^([\w.-]+)(?:\s+(\{[^]*\}))?$/.exec(rest.trim()) ?? [];
      return name === undefined ? undefined : { kind: 'tool', name, input: input ?? '{}' };
    },
  },
  {
    words: ['comment'],
    usage: '<file> [line[-line]] <text>',
    description: 'comments on lines of a file, or on the whole file',
    read: readComment,
  },
  {
    words: ['comments'],
    usage: '',
    description: 'lists the open comments, with their ids',
    read: (rest) => alone(rest, readComments()),
  },
  {
    words: ['reply'],
    usage: '<id> <text>',
    description: 'answers a comment',
    read: readReply,
  },
  {
    words: ['resolve'],
    usage: '<id> [text]',
    description: 'resolves a comment, with an answer if there is a text',
    read: readResolve,
  },
  {
    words: ['delegate'],
    usage: '[n] <prompt>',
    description:
      'a call whose worker runs the prompt in a chat of its own; with a number, that many calls and workers at once; takes the whole line',
    takesLine: true,
    read: (rest) => {
      const [, digits = '1', prompt = ''] = /^(?:(\d{1,2})\s+)?([^]*)$/.exec(rest) ?? [];
      const workerCount = Number(digits);
      return prompt === '' || workerCount === 0 ? undefined : { kind: 'delegate', prompt, workerCount };
    },
  },
  {
    words: ['big'],
    usage: '<KiB>',
    description: 'a call with that much text as its output, up to 4,096 KiB',
    read: (rest) => {
      const kibibytes = count(rest, 300);
      return kibibytes === undefined
        ? undefined
        : within(MAX_KIBIBYTES, kibibytes, { kind: 'big', kibibytes });
    },
  },
  {
    words: ['progress'],
    usage: '[n] [every <ms>]',
    description: 'a call that shows n steps of partial output while it runs (default 5, at most 1,000)',
    read: (rest) => {
      const stepCount = count(rest.replace(/\bevery\b[^]*$/i, ''), 5);
      return stepCount === undefined
        ? undefined
        : within(MAX_STEPS, stepCount, { kind: 'progress', stepCount, everyMs: named(rest, 'every') });
    },
  },
  {
    words: ['title'],
    usage: '<text>',
    description: 'names the conversation',
    read: (text) => (text === '' ? undefined : { kind: 'title', text }),
  },
  {
    words: ['notify'],
    usage: '<text>',
    description: 'puts a notice into the transcript',
    read: (text) => (text === '' ? undefined : { kind: 'notify', text }),
  },
  {
    words: ['usage'],
    usage: '<input> <output>',
    description: 'reports these numbers of tokens as usage',
    read: (rest) => {
      const [, input, output] = /^(\d{1,12})\s+(\d{1,12})$/.exec(rest.trim()) ?? [];
      if (input === undefined || output === undefined) return undefined;
      return { kind: 'usage', inputTokens: Number(input), outputTokens: Number(output) };
    },
  },
  {
    words: ['recall'],
    usage: '',
    description: 'reports what it remembers of the chat, also after a restart',
    read: (rest) => alone(rest, { kind: 'recall' }),
  },
  {
    words: ['wait'],
    usage: '[ms]',
    description: 'pauses (default 1,000 ms)',
    read: (rest) => {
      const delayMs = count(rest, DEFAULT_WAIT_MS);
      return delayMs === undefined ? undefined : { kind: 'wait', delayMs };
    },
  },
  {
    words: ['fail'],
    usage: '[reason]',
    description:
      'ends the turn with the error `demoFailed`; the steps after it follow when the turn is resumed',
    read: (reason) => ({ kind: 'fail', reason }),
  },
  {
    words: ['hang'],
    usage: '',
    description: 'runs until it is cancelled; a steering message continues the turn',
    read: (rest) => alone(rest, { kind: 'hang' }),
  },
  {
    words: ['deaf'],
    usage: '',
    description: 'refuses steering messages during this turn, so that they are queued',
    read: (rest) => alone(rest, { kind: 'deaf' }),
  },
];
