import { contentText, type DispatchOutcome, type TerminalHandle } from '@agenthost/client';
import { hasExited } from '@agenthost/protocol';
import { expect } from 'vitest';
import type { Job } from './terminal-job.ts';

/** An answer to a typed line, as `play-job.ts` writes it. */
const ANSWER = /\u001b\[36m<(\d+):([^>]*)>\u001b\[0m\r\n/g;
const READY = /^ready (\d+)\r\n/;

/** Output of a terminal as one client received it. */
export class Transcript {
  readonly terminal: TerminalHandle;
  /** The received text so far. */
  text = '';
  /** Resets after the first. */
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

/** A terminal that runs a job, as seen by a client that watches from the beginning. */
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

  /** Pid of the job. Undefined until the job has printed it. */
  get pid(): number | undefined {
    const pid = READY.exec(this.transcript.text)?.[1];
    return pid === undefined ? undefined : Number(pid);
  }

  get hasExited(): boolean {
    return hasExited(this.terminal.mirror.confirmed);
  }

  get typedCount(): number {
    return this.#typed.length;
  }

  /** Details of the terminal so far, for failure messages. */
  get fate(): object {
    const { terminal, pid, transcript, job } = this;
    return {
      uri: terminal.uri,
      pid,
      lifecycle: terminal.mirror.confirmed.lifecycle,
      shown: [transcript.text.length, job.shown.length],
      answered: [transcript.text.match(ANSWER)?.length ?? 0, this.#typed.length],
    };
  }

  /** True for a job that answers typed lines, until it is told to end. */
  get reads(): boolean {
    return this.job.script.reads && this.#typed.at(-1)?.text !== 'end';
  }

  /** Types a line for the job to answer, without waiting. */
  type(line: string): void {
    this.#typed.push({ text: line, outcome: this.terminal.input(`${line}\r`), isAccepted: false });
  }

  /** Resolves when every line has an outcome. Fails for any outcome but accepted or expired. */
  async outcomes(): Promise<void> {
    for (const line of this.#typed) {
      const outcome = await line.outcome;
      // Taken by a host that was killed before it reported the outcome.
      if (outcome.outcome !== 'accepted') expect(outcome).toMatchObject({ code: 'outcomeExpired' });
      line.isAccepted = outcome.outcome === 'accepted';
    }
  }

  /** Typed lines without an answer: a killed host took them and lost them. */
  get lostLines(): readonly string[] {
    const answered = new Set(answersIn(this.transcript.text));
    return this.#typed.flatMap(({ text }) => (answered.has(text) ? [] : [text]));
  }

  /**
   * Fails unless `text` has the whole output of the job, in order and once. Accepted lines must have exactly one answer, other lines at
   * most one, in the order of typing.
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

  /** Fails unless the state of the terminal has the whole output, the exit code and the title of the job. */
  expectState(terminal: TerminalHandle, who: string): void {
    const { content, lifecycle, title } = terminal.mirror.confirmed;
    this.expectComplete(contentText(content), who);
    expect({ lifecycle, title }, `${who}: ${terminal.uri}`).toEqual({
      lifecycle: { status: 'exited', exitCode: this.job.exitCode },
      title: this.job.title ?? this.terminal.mirror.confirmed.title,
    });
  }
}

/** The lines that the job has answered. Fails when the numbers of the answers are not consecutive. */
function answersIn(text: string): string[] {
  return [...text.matchAll(ANSWER)].map(([, number, line = ''], index) => {
    expect(Number(number), line).toBe(index + 1);
    return line;
  });
}

/** The first difference of two texts, with the text around it. A whole job would be too long for a failure message. */
function differenceOf(text: string, expected: string): object | undefined {
  if (text === expected) return undefined;
  let at = 0;
  while (at < text.length && text[at] === expected[at]) at += 1;
  const near = (all: string): string => all.slice(Math.max(0, at - 40), at + 80);
  return { at, lengths: [text.length, expected.length], got: near(text), expected: near(expected) };
}
