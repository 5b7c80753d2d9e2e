import type { TurnEvent } from '@agenthost/client';
import { type ErrorInfo, errorOf, type Turn, type UsageInfo } from '@agenthost/protocol';
import { oneLine, PlainText } from './plain-text.ts';
import type { Screen } from './screen.ts';
import { commandOutput, sentence, shownPath, toolCallLine, toolCallTitle } from './tool-call.ts';

/** Shows what happens in one turn to a person: the answer on stdout, the rest on stderr. */
export class TurnPrinter {
  readonly #screen: Screen;
  readonly #agent: string;
  readonly #showsReasoning: boolean;
  #part: { readonly id: string; readonly text: PlainText } | undefined;
  #hasText = false;
  #reasoningLine = '';

  /** `agent`: whom to wait for. Reasoning is shown where people look on, dimmed. */
  constructor(screen: Screen, agent: string, showsReasoning: boolean) {
    this.#screen = screen;
    this.#agent = oneLine(agent);
    this.#showsReasoning = showsReasoning;
  }

  /** Before the first event. */
  begin(): void {
    this.#screen.status(`waiting for ${this.#agent}`);
  }

  show(event: TurnEvent): void {
    if (event.type !== 'reasoning') this.#endReasoning();
    switch (event.type) {
      case 'text':
        this.#text(event.partId, event.text);
        break;
      case 'reasoning':
        this.#reasoning(event.text);
        break;
      case 'toolCall': {
        if (event.change === 'content') break;
        this.#write(commandOutput(event.toolCall));
        const line = toolCallLine(event.toolCall, this.#screen);
        if (line !== undefined) this.#screen.note(line);
        const isRunning = event.toolCall.status === 'running' || event.toolCall.status === 'streaming';
        this.#screen.status(
          isRunning ? `working: ${toolCallTitle(event.toolCall)}` : `waiting for ${this.#agent}`,
        );
        break;
      }
      case 'confirmation':
      case 'resultConfirmation':
      case 'inputRequest':
        this.#screen.status(undefined);
        break;
      case 'part':
        if (event.part.kind === 'systemNotification') this.#screen.note(sentence(event.part.content));
        else if (event.part.kind === 'contentRef') this.#screen.note(shownPath(event.part.uri));
        break;
      case 'ended':
        this.#screen.status(undefined);
        if (this.#hasText && !this.#screen.isAtLineStart) this.#screen.text('\n');
        break;
    }
  }

  #text(partId: string, text: string): void {
    if (this.#part?.id !== partId) {
      if (this.#hasText) this.#write(this.#screen.isAtLineStart ? '\n' : '\n\n');
      this.#part = { id: partId, text: new PlainText() };
    }
    this.#write(this.#part.text.next(text));
    this.#screen.status(`waiting for ${this.#agent}`);
  }

  #write(text: string): void {
    if (text === '') return;
    this.#hasText = true;
    this.#screen.text(text);
  }

  #reasoning(text: string): void {
    this.#screen.status(`${this.#agent} is thinking`);
    if (!this.#showsReasoning) return;
    const lines = (this.#reasoningLine + text).split('\n');
    this.#reasoningLine = lines.pop() ?? '';
    for (const line of lines) this.#note(line);
  }

  #endReasoning(): void {
    this.#note(this.#reasoningLine);
    this.#reasoningLine = '';
  }

  #note(line: string): void {
    const shown = oneLine(line, 2_000);
    if (shown !== '') this.#screen.note(this.#screen.colors.dim(shown));
  }
}

/** How a turn ended, in one line. */
export function endLine(turn: Turn, { marks, colors }: Screen): string {
  const tokens = usageText(turn.usage);
  switch (turn.state) {
    case 'complete':
      return colors.dim(`${marks.done} done${tokens}`);
    case 'cancelled':
      return colors.yellow(`${marks.refused} cancelled${tokens}`);
    default:
      return colors.red(`${marks.failed} ${errorText(errorOf(turn))}`);
  }
}

/** Errors of the host's own [CHAT-5]: what they mean is in their message. */
const HOST_ERROR_TYPES: ReadonlySet<string> = new Set([
  'hostRestarted',
  'agentExited',
  'agentMissing',
  'agentUnresponsive',
  'agentError',
  'authRequired',
  'hostError',
]);

/** Why a turn failed; with the type where it is the agent's own, or where nothing else is said. */
export function errorText(error: ErrorInfo | undefined): string {
  if (error === undefined) return 'the turn failed';
  const message = oneLine(error.message, 1_000);
  const type = oneLine(error.errorType);
  if (message === '') return `the turn failed (${type})`;
  return HOST_ERROR_TYPES.has(type) ? message : `${message} (${type})`;
}

function usageText(usage: UsageInfo | undefined): string {
  const counts: string[] = [];
  if (usage?.inputTokens !== undefined) counts.push(`${usage.inputTokens} tokens in`);
  if (usage?.outputTokens !== undefined) counts.push(`${usage.outputTokens} out`);
  return counts.length === 0 ? '' : `, ${counts.join(', ')}`;
}
