import type { ClientTool, HostTool, InputQuestions, InputResponse, TurnOutput } from '@agenthost/host/agent';
import type { ToolCallResult } from '@agenthost/protocol';
import type { DuplicateToolCalls } from '../client-tools/duplicate-tool-calls.ts';
import { type JsonObject, objectOf, textOf } from '../json.ts';
import type { ChildSessions } from '../session/child-sessions.ts';
import { readToolCall, type SessionUpdate, type ToolCallFields } from '../session/session-update.ts';
import type { SharedTerminal } from '../session/terminals.ts';
import { PermissionChoices } from './permission.ts';
import { PlanBlock } from './plan.ts';
import { type ToolCallPlace, ToolCalls } from './tool-calls.ts';
import { TurnUsage } from './usage.ts';
import { Workers } from './workers.ts';

/** Longest image that an answer shows inline, in base64 characters. */
const MAX_INLINE_IMAGE = 512 * 1024;

/** Longest text that is shown in one piece, in characters. */
const MAX_PIECE = 64 * 1024;

/** Notices for the reasons why a prompt stopped early. `end_turn` and `cancelled` need none. */
const STOP_NOTICES: Readonly<Record<string, string>> = {
  max_tokens: 'The agent stopped because it reached its limit of output tokens.',
  max_turn_requests: 'The agent stopped because it reached its limit of model requests for one turn.',
  refusal: 'The agent refused to continue. It does not remember this message and its answer.',
};

/** Dependencies of a turn's calls, and the agent's sub-agents. */
export type TurnPlace = Omit<ToolCallPlace, 'turnId' | 'callEnded'> & {
  readonly children: Pick<ChildSessions, 'learn' | 'attach' | 'cancel'>;
  /** Shared by the turn and its workers. */
  readonly duplicates: DuplicateToolCalls;
};

/** One turn of an agent session: applies the agent's messages to the host's output. */
export class AcpTurn {
  readonly id: string;
  readonly #output: TurnOutput;
  readonly #duplicates: DuplicateToolCalls;
  readonly #toolCalls: ToolCalls;
  readonly #workers: Workers<AcpTurn>;
  readonly #plan: PlanBlock;
  readonly #usage = new TurnUsage();
  #markdownId: string | undefined;
  #hasMarkdownBefore = false;
  #usageSeen: () => void = () => {};
  /** Resolves when the agent has reported any usage. */
  readonly usageSeen: Promise<void>;

  constructor(id: string, output: TurnOutput, place: TurnPlace) {
    this.id = id;
    this.#output = output;
    this.#duplicates = place.duplicates;
    this.#workers = new Workers<AcpTurn>({
      output,
      children: place.children,
      findCall: (toolCallId) => this.#toolCalls.find(toolCallId),
      newWriter: (workersOutput) => new AcpTurn(id, workersOutput, place),
    });
    this.#toolCalls = new ToolCalls(output, {
      ...place,
      turnId: id,
      callEnded: (...call) => this.#workers.callEnded(...call),
    });
    this.#plan = new PlanBlock(output);
    this.usageSeen = new Promise((resolve) => {
      this.#usageSeen = resolve;
    });
  }

  /** Applies one update. Resolves when the host can take the next. */
  async update(update: SessionUpdate): Promise<void> {
    const writer = this.#workers.writerOf(update);
    if (writer !== undefined) return writer.update(update);
    switch (update.type) {
      case 'message':
        if (this.#usage.addCall(update.meta)) this.#showUsage();
        return this.#markdown(chunkMarkdown(update.content), update.messageId);
      case 'thought': {
        const text = textOf(update.content['text']);
        this.#hasMarkdownBefore = false;
        return this.#inPieces(text ?? '', (piece) => this.#output.reasoning(piece));
      }
      case 'toolCall':
        this.#hasMarkdownBefore = false;
        await this.#toolCall(update.call, update.isAnnouncement);
        return this.#output.ready();
      case 'plan':
        this.#hasMarkdownBefore = false;
        this.#plan.update(update.entries);
        return this.#output.ready();
      case 'usage':
        this.#usage.setContext(update);
        this.#showUsage();
        return this.#output.ready();
      case 'notice':
        this.#hasMarkdownBefore = false;
        this.#output.notify(update.text);
        return this.#output.ready();
      case 'subagent':
        this.#hasMarkdownBefore = false;
        return this.#workers.announced(update);
      case 'commands':
      case 'mode':
      case 'configOptions':
      case 'info':
      case 'ignored':
        return undefined;
      default:
        return update satisfies never;
    }
  }

  /** Whether the turn or one of its workers shows this call of the agent. */
  has(toolCallId: string): boolean {
    return this.#toolCalls.find(toolCallId) !== undefined || this.#workers.ownerOf(toolCallId) !== undefined;
  }

  /** Answers a permission request. */
  async permission(params: JsonObject): Promise<string | undefined> {
    const call = readToolCall(params['toolCall']);
    if (call === undefined) return undefined;
    const worker = this.#workers.ownerOf(call.toolCallId);
    if (worker !== undefined) return worker.permission(params);
    this.#hasMarkdownBefore = false;
    const choices = new PermissionChoices(params);
    // The host asks about the client's call, where people see whose call it is.
    const asked = this.#isShown(call) ? call : this.#duplicates.asks(call);
    if (asked === undefined) return choices.optionFor({ approved: true });
    return this.#toolCalls.ask(asked, choices);
  }

  /** Asks people. The result is cancelled when the turn ends first. */
  ask(questions: InputQuestions, withdrawn: AbortSignal): Promise<InputResponse> {
    this.#hasMarkdownBefore = false;
    return this.#output.ask(questions, withdrawn);
  }

  /** Replaces a removed terminal by its last content in all calls that show it. */
  showTerminal(terminal: SharedTerminal): void {
    this.#toolCalls.showTerminal(terminal);
    for (const worker of this.#workers.writers) worker.showTerminal(terminal);
  }

  /** Shows the held-back calls for which no call of a client came. Call it when the agent has stopped. */
  async showKeptBack(): Promise<void> {
    for (const fields of this.#duplicates.end()) await this.#toolCalls.update(fields, true);
  }

  /** Applies the result of the prompt. */
  finish(result: JsonObject): void {
    this.#plan.finish();
    this.#workers.end();
    if (this.#usage.setResult(result)) this.#showUsage();
    const notice = STOP_NOTICES[textOf(result['stopReason']) ?? ''];
    if (notice !== undefined) this.#output.notify(notice);
  }

  /** Runs a client's tool that the agent called, until `withdrawn` aborts. */
  clientTool(
    { clientId, name, definition }: ClientTool,
    toolInput: string,
    withdrawn: AbortSignal,
  ): Promise<ToolCallResult> {
    const asksFirst = this.#duplicates.claim(name) ? { asksFirst: true } : {};
    return this.#output.clientTool(
      { clientId, toolName: definition.name, toolInput, ...asksFirst },
      withdrawn,
    );
  }

  /** Runs a tool of the host, or of an MCP server, that the agent called, until `withdrawn` aborts. */
  hostTool({ name }: HostTool, toolInput: string, withdrawn: AbortSignal): Promise<ToolCallResult> {
    this.#duplicates.claim(name);
    return this.#output.hostTool({ name, toolInput }, withdrawn);
  }

  #isShown({ toolCallId }: ToolCallFields): boolean {
    return this.#toolCalls.find(toolCallId)?.isOver === false;
  }

  async #toolCall(call: ToolCallFields, isAnnouncement: boolean): Promise<void> {
    const isShown = this.#isShown(call);
    if (isShown) this.#duplicates.sawShown(call);
    const shown = isShown ? call : this.#duplicates.shown(call);
    if (shown !== undefined) await this.#toolCalls.update(shown, isAnnouncement);
  }

  async #markdown(text: string | undefined, messageId: string | undefined): Promise<void> {
    if (text === undefined) return;
    // A new message directly after another one starts a paragraph; agents do not mark it otherwise.
    const isNewMessage =
      messageId !== undefined && this.#markdownId !== undefined && messageId !== this.#markdownId;
    const separator = isNewMessage && this.#hasMarkdownBefore ? '\n\n' : '';
    this.#markdownId = messageId ?? this.#markdownId;
    this.#hasMarkdownBefore = true;
    await this.#inPieces(`${separator}${text}`, (piece) => this.#output.markdown(piece));
  }

  /**
   * Writes a message in pieces, because a message of many MiB in one piece would block the host and flood
   * readers.
   */
  async #inPieces(text: string, write: (piece: string) => Promise<void>): Promise<void> {
    for (let at = 0; at < text.length; ) {
      const end = at + MAX_PIECE;
      // Not inside a character.
      const next = /[\uD800-\uDBFF]/.test(text[end - 1] ?? '') ? end + 1 : end;
      await write(text.slice(at, next));
      at = next;
    }
  }

  #showUsage(): void {
    const usage = this.#usage.value;
    if (usage === undefined) return;
    this.#output.usage(usage);
    this.#usageSeen();
  }
}

/** A chunk of an answer as Markdown. `undefined` when there is nothing to show. */
function chunkMarkdown(content: JsonObject): string | undefined {
  const mimeType = textOf(content['mimeType']) ?? '';
  switch (content['type']) {
    case 'text':
      return textOf(content['text']);
    case 'image': {
      const data = textOf(content['data']) ?? '';
      return data.length > 0 && data.length <= MAX_INLINE_IMAGE
        ? `![image](data:${mimeType};base64,${data})`
        : '*(image too large to show)*';
    }
    case 'audio':
      return '*(audio, not shown)*';
    case 'resource_link': {
      const uri = textOf(content['uri']);
      return uri === undefined ? undefined : `[${textOf(content['name']) ?? uri}](<${uri}>)`;
    }
    case 'resource':
      return textOf(objectOf(content['resource'])['text']);
    default:
      return undefined;
  }
}
