import type { ChatHandle, DispatchOutcome, TurnEvent } from '@agenthost/client';
import { HOOK_CONSENT_TOOL, MCP_CONSENT_TOOL, type TokenScope } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { errorSentence, rejectionSentence } from '../host-link/host-errors.ts';
import { usageError } from '../process/exit.ts';
import type { LineReader } from '../process/line-reader.ts';
import { commandLine } from '../process/own-command.ts';
import { askConfirmation, canAllowOnce, showQuestion, withinScope } from '../question/confirmation.ts';
import { askInputRequest, type OpenForm, showQuestions } from '../question/input-request.ts';
import { oneLine } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';

/** How approval requests are answered. */
export type ApproveMode = 'ask' | 'all' | 'none';

type AskingEvent = Extract<TurnEvent, { type: 'confirmation' | 'resultConfirmation' | 'inputRequest' }>;

/** Rejects an `--approve` that the session's setting makes useless. Throws a usage error. */
export function checkApproval({
  approve,
  config = [],
}: {
  approve: ApproveMode;
  config?: readonly string[];
}): void {
  const setting = config.findLast((each) => each.startsWith('approvals='))?.slice('approvals='.length);
  if (!contradict(setting, approve)) return;
  const what = `--config approvals=${setting} and --approve ${approve}`;
  throw usageError(`${what} contradict each other: the setting decides before --approve; remove one of them`);
}

/** Whether a session with this setting would not ask where `--approve` has another answer. */
export const contradict = (setting: unknown, approve: ApproveMode): boolean =>
  (approve === 'none' && (setting === 'all' || setting === 'edits')) ||
  (approve === 'all' && setting === 'none');

/** Options of an approver. */
export interface ApproverOptions {
  readonly mode: ApproveMode;
  readonly screen: Screen;
  /** The scope of the token. Default: `admin`. */
  readonly scope?: TokenScope | undefined;
  /** The person at this terminal; absent: there is none. */
  readonly reader: LineReader | undefined;
  /** Where somebody else could answer, for people. */
  readonly elsewhere: string;
  /** An input request of the chat, to be filled in. */
  form(requestId: string): OpenForm;
}

/**
 * Answers what a turn asks: by the mode, by the person at the terminal, one question at a time, or not at all, so that
 * another client does. A question that was answered elsewhere is taken back.
 */
export class Approver {
  readonly #options: ApproverOptions;
  readonly #open = new Map<string, AbortController>();
  #queue: Promise<void> = Promise.resolve();

  constructor(options: ApproverOptions) {
    this.#options = options;
  }

  /** Takes every event of the turn, in order; of a worker's turn with its chat. */
  handle(event: TurnEvent, worker?: ChatHandle): void {
    const of = worker?.mirror.uri ?? '';
    switch (event.type) {
      case 'confirmation':
      case 'resultConfirmation':
        this.#asked(`${of} call ${event.toolCall.toolCallId}`, event, worker);
        break;
      case 'inputRequest':
        this.#asked(`${of} request ${event.request.id}`, event, worker);
        break;
      case 'toolCall':
        if (!event.toolCall.status.startsWith('pending-'))
          this.#answered(`${of} call ${event.toolCall.toolCallId}`);
        break;
      case 'part':
        if (event.part.kind === 'inputRequest') this.#answered(`${of} request ${event.part.request.id}`);
        break;
      case 'ended':
        this.#takeBack(of);
        break;
      case 'text':
      case 'reasoning':
        break;
    }
  }

  /** Takes all open questions back. */
  dispose(): void {
    this.#takeBack('');
  }

  /** With those of a chat; of all without one: when the turn is over its workers are, too. */
  #takeBack(of: string): void {
    for (const id of Array.from(this.#open.keys())) if (id.startsWith(of)) this.#settled(id);
  }

  /** A question was answered: by us, then it is no longer open, or by another client. */
  #answered(id: string): void {
    if (this.#open.has(id)) this.#options.screen.note('    answered by another client');
    this.#settled(id);
  }

  #settled(id: string): void {
    this.#open.get(id)?.abort();
    this.#open.delete(id);
  }

  #asked(id: string, event: AskingEvent, worker: ChatHandle | undefined): void {
    const { mode, reader } = this.#options;
    this.#settled(id);
    if (mode !== 'ask') {
      this.#tell(this.#answerByMode(event, mode));
      return;
    }
    if (reader === undefined) {
      this.#leaveToOthers(event);
      return;
    }
    const controller = new AbortController();
    this.#open.set(id, controller);
    this.#queue = this.#queue
      .then(() => this.#askHere(event, reader, { signal: controller.signal, worker }))
      .then(() => {
        if (this.#open.get(id) === controller) this.#open.delete(id);
      });
  }

  /** Approves this one call only. Denies if only lasting approvals are offered. Declines questions of other kinds. */
  #answerByMode(event: AskingEvent, mode: 'all' | 'none'): Promise<DispatchOutcome> {
    switch (event.type) {
      case 'confirmation':
        if (mode === 'none') return event.deny({ reasonMessage: 'Denied by --approve none' });
        if (canAllowOnce(event.toolCall)) return event.approve();
        this.#options.screen.note('denied: the agent offers no approval for this call alone');
        return event.deny({ reasonMessage: 'It could not be allowed once only' });
      case 'resultConfirmation':
        return event.confirm(mode === 'all');
      default:
        this.#options.screen.note(`declined a question of the agent, because of --approve ${mode}`);
        return event.respond('decline');
    }
  }

  async #askHere(
    event: AskingEvent,
    reader: LineReader,
    { signal, worker }: { signal: AbortSignal; worker: ChatHandle | undefined },
  ): Promise<void> {
    const { screen } = this.#options;
    if (reader.hasEnded && !signal.aborted) return this.#leaveToOthers(event);
    if (event.type === 'inputRequest') {
      const lines = reader.hold();
      const { id } = event.request;
      const form = worker === undefined ? this.#options.form(id) : worker.inputRequest(id);
      const answer = await askInputRequest(screen, lines, form, signal).finally(() => lines.release());
      if (answer !== undefined) this.#tell(event.respond(answer.response, answer.answers));
      else if (!signal.aborted) this.#sayWhere();
    } else {
      const choice = await askConfirmation(
        screen,
        reader,
        withinScope(event.toolCall, this.#options.scope),
        signal,
      );
      if (choice !== undefined) {
        const option = defined({ optionId: choice.optionId });
        if (event.type === 'resultConfirmation') this.#tell(event.confirm(choice.isApproval));
        else this.#tell(choice.isApproval ? event.approve(option) : event.deny(option));
      } else if (!signal.aborted) this.#sayWhere();
    }
  }

  /** Shows what nobody here can answer. */
  #leaveToOthers(event: AskingEvent): void {
    const { screen } = this.#options;
    if (event.type === 'confirmation') {
      const { toolName } = event.toolCall;
      if (toolName === MCP_CONSENT_TOOL || toolName === HOOK_CONSENT_TOOL) return this.#goOnWithout(event);
    }
    if (event.type === 'inputRequest') showQuestions(screen, event.request);
    else showQuestion(screen, event.toolCall);
    this.#sayWhere();
  }

  /** A turn without a user does not wait for servers and hooks that no user has allowed. */
  #goOnWithout(event: Extract<AskingEvent, { type: 'confirmation' }>): void {
    this.#options.screen.note(
      event.toolCall.toolName === HOOK_CONSENT_TOOL
        ? `continuing without the hooks: no user can allow them here; a message from \`${commandLine('chat')}\` asks for a decision`
        : `continuing without the MCP servers of the project (${serversIn(event.toolCall)}): no user can allow them here; see \`${commandLine('mcp allow')}\``,
    );
    this.#tell(event.deny({ reasonMessage: 'Nobody is there to allow them' }));
  }

  #sayWhere(): void {
    this.#options.screen.note(`    waiting for another client to answer: ${this.#options.elsewhere}`);
  }

  #tell(answered: Promise<DispatchOutcome>): void {
    const { screen } = this.#options;
    answered.then(
      (outcome) => {
        if (outcome.outcome === 'rejected')
          screen.note(`    too late: ${oneLine(rejectionSentence(outcome))}`);
        else if (outcome.outcome === 'dropped')
          screen.note(`    not answered: ${oneLine(rejectionSentence(outcome))}`);
      },
      (error: unknown) => screen.note(`    not answered: ${oneLine(errorSentence(error))}`),
    );
  }
}

/** The names of the servers in a question, each of which has a line. */
function serversIn({ toolInput = '' }: Extract<AskingEvent, { type: 'confirmation' }>['toolCall']): string {
  const text = typeof toolInput === 'string' ? toolInput : (toolInput['x-beginning'] ?? '');
  const names = text.split('\n').map((line) => oneLine(line.split(':')[0] ?? '', 64));
  return names.join(', ');
}
