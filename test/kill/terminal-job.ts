import type { SeededRandom } from '@agenthost/testkit';

/** The script of `play-job.ts`, as JSON. Positions are bytes of `text`. */
export interface JobScript {
  /** Written in pieces after the line with the pid: the first `heldAt` bytes, then the rest once `gate` exists. */
  readonly text: string;
  /** Ends of the pieces, ascending, each with a pause in ms after it. The last end is the length of `text`. */
  readonly pieces: readonly (readonly [end: number, pauseMs: number])[];
  readonly heldAt: number;
  /** A file. Text after `heldAt` waits until it exists. */
  readonly gate: string;
  /** The job answers typed lines, and ends only after the line `end`. */
  readonly reads: boolean;
  /** Written in one piece at the end. */
  readonly farewell: string;
  readonly end: { readonly code: number } | { readonly signal: NodeJS.Signals };
}

/** A job and its expected results. */
export interface Job {
  readonly script: JobScript;
  /** Expected content of the terminal, without the first line and the answers to typed lines. */
  readonly shown: string;
  readonly exitCode: number;
  /** The title that the job sets, if it sets one. */
  readonly title: string | undefined;
  readonly lineCount: number;
}

const SIGNALS = ['SIGHUP', 'SIGINT', 'SIGKILL', 'SIGTERM', 'SIGUSR2'] as const;
const SIGNAL_CODES = { SIGHUP: 129, SIGINT: 130, SIGKILL: 137, SIGTERM: 143, SIGUSR2: 140 } as const;
const NAMES = ['main', 'naïve', 'größe', '文件系统', 'тест', '🙂🚀', 'e\u0301dition', '👩‍👩‍👧'] as const;
const BAR_LENGTH = 30;

/**
 * A job that looks like a build: colours, bursts and pauses, progress bars, texts in many scripts. Pieces end anywhere, even inside a
 * character.
 */
export function buildJob(random: SeededRandom, options: { gate: string; reads: boolean }): Job {
  const lineCount = random.between(300, random.chance(0.3) ? 3_000 : 900);
  const title = random.chance(0.5) ? `build ${random.hex(6)}` : undefined;
  const output: string[] = [];
  const shown: string[] = [];
  const print = (text: string, seen = text): void => {
    output.push(text);
    shown.push(seen.replaceAll('\n', '\r\n'));
  };
  for (let line = 1; line <= lineCount; line += 1) {
    if (line === 20 && title !== undefined) print(`\u001b]0;${title}\u0007`);
    // Marks of a shell inside the job, which are not shown to viewers [TERM-3].
    if (random.chance(0.02)) print(`\u001b]133;${random.pick(['A', 'B', 'C', 'D;1'])}\u001b\\`, '');
    print(random.chance(0.04) ? progressBar(random, line) : compilerLine(random, line, lineCount));
  }
  const text = output.join('');
  const farewell = random.chance(0.7) ? farewellOf(random) : '';
  print(farewell);
  const signal = random.chance(0.25) ? random.pick(SIGNALS) : undefined;
  const code = random.chance(0.3) ? random.pick(['0', '1', '127', '128', '255']) : String(random.int(256));
  const length = Buffer.byteLength(text);
  return {
    script: {
      ...options,
      text,
      pieces: pieces(random, length),
      heldAt: random.between(Math.floor(length / 2), length),
      farewell,
      end: signal === undefined ? { code: Number(code) } : { signal },
    },
    shown: shown.join(''),
    exitCode: signal === undefined ? Number(code) : SIGNAL_CODES[signal],
    title,
    lineCount,
  };
}

function compilerLine(random: SeededRandom, line: number, count: number): string {
  const percent = String(Math.floor((line / count) * 100)).padStart(3);
  const color = 31 + random.int(6);
  const file = `src/${random.pick(NAMES)}/${random.hex(random.between(2, 30))}.c`;
  const warning = random.chance(0.1)
    ? `\n\t\u001b[1;35mwarning:\u001b[0m ‘${random.pick(NAMES)}’ is not used`
    : '';
  return `[${percent}%] ${line} \u001b[${color}mBuilding C object ${file}.o\u001b[0m${warning}\n`;
}

function progressBar(random: SeededRandom, line: number): string {
  let bar = '';
  for (let done = 0; done <= BAR_LENGTH; done += random.between(1, 6))
    bar += `\r\u001b[K${line} [${'█'.repeat(done)}${'░'.repeat(BAR_LENGTH - done)}]`;
  return `${bar}\r\u001b[K${line} linked\n`;
}

const farewellOf = (random: SeededRandom): string =>
  Array.from({ length: random.between(1, 200) }, (_, index) => `summary ${index} ${random.pick(NAMES)}`).join(
    '\n',
  );

/** Random pieces in bursts, with pauses of 2.5 s in all. */
function pieces(random: SeededRandom, length: number): [end: number, pauseMs: number][] {
  const ends = new Set([length]);
  for (let count = random.between(40, 120); count > 0; count -= 1) {
    const at = random.between(1, length);
    for (let near = random.int(6); near >= 0; near -= 1) ends.add(Math.min(length, at + near));
  }
  const sorted = [...ends].sort((one, other) => one - other);
  const weights = sorted.map(() => (random.chance(0.4) ? 0 : random.next()));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return sorted.map((end, index) => [end, ((weights[index] ?? 0) / total) * 2_500]);
}
