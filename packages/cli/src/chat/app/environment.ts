import type { AhpClient, DispatchOutcome } from '@agenthost/client';
import type { AgentInfo } from '@agenthost/protocol';
import { errorSentence, rejectionSentence } from '../../host-link/host-errors.ts';
import { oneLine } from '../../render/plain-text.ts';
import type { Marks } from '../../render/screen.ts';

/** How urgent a notice is. */
export type Tone = 'info' | 'problem';

/** Services that every part of the chat program uses. */
export interface Environment {
  readonly client: AhpClient;
  readonly marks: Marks;
  readonly home: string;
  /** Folder that new sessions work in, as a path; absent: the host decides. */
  readonly folder: string | undefined;
  /** The model that was asked for on the command line, for messages to agents that have it. */
  readonly model?: string | undefined;
  /** The agents that the host offers now. */
  agents(): readonly AgentInfo[];
  /** ms since the epoch. */
  now(): number;
  /** Calls back after `delayMs`. The result cancels the call. */
  later(delayMs: number, callback: () => void): () => void;
  /** Requests a new frame. */
  changed(): void;
  /** Shows a notice in the status line. */
  notice(text: string, tone?: Tone): void;
  /** Hands text to the terminal's clipboard. */
  copy(text: string): void;
  /** Gives the window to a terminal of the host until it is left. */
  showTerminal(uri: string): void;
}

/** Shows a notice when a request or an action fails. Never rejects. */
export function tellFailure(env: Environment, what: string, work: Promise<unknown>): void {
  work.then(
    (result) => {
      const reason = refusalOf(result);
      if (reason !== undefined) env.notice(`${what}: ${reason}`, 'problem');
    },
    (error: unknown) => env.notice(`${what}: ${messageOf(error)}`, 'problem'),
  );
}

/** Why the host did not take an action; `undefined` when it did, or when it was no action. */
export function refusalOf(result: unknown): string | undefined {
  if (!isOutcome(result)) return undefined;
  if (result.outcome === 'rejected' || result.outcome === 'dropped')
    return oneLine(rejectionSentence(result), 500);
  return undefined;
}

const isOutcome = (result: unknown): result is DispatchOutcome =>
  typeof result === 'object' && result !== null && 'outcome' in result;

/** An error in one line. */
export const messageOf = (error: unknown): string => oneLine(errorSentence(error), 500);
