import { contentText, type DispatchOutcome, type TerminalHandle } from '@agenthost/client';
import { expect } from 'vitest';
import type { Job } from './terminal-job.ts';

/** An answer to a typed line, as `play-job.ts` writes it. */
const ANSWER = /\u001b\[36m<(\d+):([^>]*)>\u001b\[0m\r\n/g;
const READY = /^ready (\d+)\r\n/;

/** What one client was given of a terminal, put together as a screen would. */
export class Transcript {
  readonly terminal: TerminalHandle;
  /** Everything so far. */
  text = '';
  /** How often it began anew, the first time not counted. */
  resetCount = -1;

  constructor(terminal: TerminalHandle) {
    this.terminal = terminal;
    terminal.attach({
      onReset: (content) => {
        this.text = content;
        this.resetCount += 1;
      },
      onOutput: (text) => {
        this.text += text;
      },
    });
  }
}

/** A terminal that runs a job, as the client sees it that is there all the time. */
export class BuildTerminal {
  readonly job: Job;
  readonly transcript: Transcript;
  /** Kills of the host while the job ran. */
  killCount = 0;
  readonly #typed: {
    readonly text: string;
    readonly outcome: Promise<DispatchOutcome>;
    isAccepted: boolean;
  }[] = [];

  constructor(job: Job, terminal: TerminalHandle) {
    this.job = job;
    this.transcript = new Transcript(terminal);
  }

  get terminal(): TerminalHandle {
    return this.transcript.terminal;
  }

  /** The job's process, once it has said so. */
  get pid(): number | undefined {
    const pid = READY.exec(this.transcript.text)?.[1];
    return pid === undefined ? undefined : Number(pid);
  }

  get hasExited(): boolean {
    return this.terminal.mirror.confirmed.exitCode !== undefined;
  }

  get typedCount(): number {
    return this.#typed.length;
  }

  /** What has become of it so far, for a person who looks for a fault. */
  get fate(): object {
    const { terminal, pid, transcript, job } = this;
    return {
      uri: terminal.uri,
      pid,
      exitCode: terminal.mirror.confirmed.exitCode,
      shown: [transcript.text.length, job.shown.length],
      answered: [transcript.text.match(ANSWER)?.length ?? 0, this.#typed.length],
    };
  }

  /** It answers what is typed: until it is told to end. */
  get reads(): boolean {
    return this.job.script.reads && this.#typed.at(-1)?.text !== 'end';
  }

  /** Types a line for the job to answer; does not wait for anything. */
  type(line: string): void {
    this.#typed.push({ text: line, outcome: this.terminal.input(`${line}\r`), isAccepted: false });
  }

  /** Resolves when the client knows of every line that it was taken; fails for any other outcome. */
  async outcomes(): Promise<void> {
    for (const line of this.#typed) {
      const outcome = await line.outcome;
      // Taken by a host that was killed before it could say so.
      if (outcome.outcome !== 'accepted') expect(outcome).toMatchObject({ code: 'outcomeExpired' });
      line.isAccepted = outcome.outcome === 'accepted';
    }
  }

  /** Lines that a killed host took without a word and that never arrived. */
  get lostLines(): readonly string[] {
    const answered = new Set(answersIn(this.transcript.text));
    return this.#typed.flatMap(({ text }) => (answered.has(text) ? [] : [text]));
  }

  /**
   * Fails unless this is all that the job put out, in order and once, and every typed line was answered, in order and at most
   * once; those that the client was told of, exactly once.
   */
  expectComplete(text: string, who: string): void {
    const where = `${who}: ${this.terminal.uri}`;
    const answered = answersIn(text);
    const expected = this.#typed.filter(({ text, isAccepted }) => isAccepted || answered.includes(text));
    expect(answered, where).toEqual(expected.map(({ text }) => text));
    const output = text.replace(READY, '').replaceAll(ANSWER, '');
    expect(differenceOf(output, this.job.shown), where).toBeUndefined();
    expect(text, where).toMatch(READY);
  }

  /** The same of what a state holds, with its exit code and title. */
  expectState(terminal: TerminalHandle, who: string): void {
    const { content, exitCode, title } = terminal.mirror.confirmed;
    this.expectComplete(contentText(content), who);
    expect({ exitCode, title }, `${who}: ${terminal.uri}`).toEqual({
      exitCode: this.job.exitCode,
      title: this.job.title ?? this.terminal.mirror.confirmed.title,
    });
  }
}

/** Lines that the job has answered, which it numbers: fails when a number is not the next. */
function answersIn(text: string): string[] {
  return [...text.matchAll(ANSWER)].map(([, number, line = ''], index) => {
    expect(Number(number), line).toBe(index + 1);
    return line;
  });
}

/** Where two texts part, with what stands there; a whole job in a message helps nobody. */
function differenceOf(text: string, expected: string): object | undefined {
  if (text === expected) return undefined;
  let at = 0;
  while (at < text.length && text[at] === expected[at]) at += 1;
  const near = (all: string): string => all.slice(Math.max(0, at - 40), at + 80);
  return { at, lengths: [text.length, expected.length], got: near(text), expected: near(expected) };
}
