import type { ToolCallHandle, ToolCallReady, ToolKind, TurnOutput } from '@agenthost/host/agent';
import type { ToolCallResult, ToolResultContent } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { isObject, type JsonObject, objectOf, textOf } from '../json.ts';
import type { ToolCallFields } from '../session/session-update.ts';
import type { SharedTerminal, SharedTerminals } from '../session/terminals.ts';
import type { PermissionChoices } from './permission.ts';
import { structuredOutput } from './structured-output.ts';
import { fileUri, ToolCallContent } from './tool-call-content.ts';
import type { KnownCall } from './workers.ts';

/** Names for people of the protocol's kinds of tool. */
const KIND_NAMES: Readonly<Record<string, string>> = {
  read: 'Read',
  edit: 'Edit',
  delete: 'Delete',
  move: 'Move',
  search: 'Search',
  execute: 'Run',
  think: 'Think',
  fetch: 'Fetch',
  switch_mode: 'Switch mode',
};

/**
 * `announced`: the input may still be incomplete. `asking`: a person is asked. `over`: completed or denied;
 * nothing changes it any more.
 */
type Phase = 'announced' | 'asking' | 'running' | 'over';

interface Call {
  readonly handle: ToolCallHandle;
  readonly content: ToolCallContent;
  fields: ToolCallFields;
  phase: Phase;
  /** What was shown last, to leave out repetitions. */
  shownReady: string;
  shownContent: string;
  /** Settles when the open question is answered. */
  asked: Promise<void>;
  /** Withdraws the open question. */
  withdraw: () => void;
}

/** Dependencies of the calls of one turn. */
export interface ToolCallPlace {
  readonly turnId: string;
  readonly workingDirectory: string;
  readonly terminals: Pick<SharedTerminals, 'find'>;
  /** A call is about to be completed; `report` is the text of its result. */
  callEnded(toolCallId: string, success: boolean, report: string | undefined): Promise<void>;
}

/**
 * The tool calls of one turn. Agents announce, update and ask in any order, so each of them creates the call
 * when it is new.
 */
export class ToolCalls {
  readonly #output: TurnOutput;
  readonly #place: ToolCallPlace;
  readonly #calls = new Map<string, Call>();
  #madeCount = 0;

  constructor(output: TurnOutput, place: ToolCallPlace) {
    this.#output = output;
    this.#place = place;
  }

  /** The call with this id of the agent. */
  find(toolCallId: string): KnownCall | undefined {
    const call = this.#calls.get(toolCallId);
    return call && { id: call.handle.id, fields: call.fields, isOver: call.phase === 'over' };
  }

  /** A shared terminal has changed: running calls that embed it show it again. */
  showTerminal(terminal: SharedTerminal): void {
    for (const call of this.#calls.values()) {
      if (call.content.terminals().includes(terminal)) this.#showContent(call);
    }
  }

  /** Applies an announcement or an update. */
  async update(fields: ToolCallFields, isAnnouncement: boolean): Promise<void> {
    const known = this.#calls.get(fields.toolCallId);
    if (known?.phase === 'over' && !(isAnnouncement && !isEnd(fields))) return;
    const call = known === undefined || known.phase === 'over' ? this.#start(fields) : known;
    this.#merge(call, fields);
    if (isEnd(fields)) return this.#end(call, fields.status === 'completed');
    if (call.phase === 'asking') return;
    if (fields.status === 'in_progress') this.#run(call);
    else if (call.phase === 'running') this.#run(call);
    else if (fields.title !== undefined) await call.handle.input('', fields.title);
    this.#showContent(call);
  }

  /** Asks a person. Resolves with the agent's option id; `undefined` means cancelled. */
  async ask(fields: ToolCallFields, choices: PermissionChoices): Promise<string | undefined> {
    const known = this.#calls.get(fields.toolCallId);
    const call = known === undefined || known.phase === 'over' ? this.#start(fields) : known;
    // A second question about a call waits for the answer to the first.
    const before = call.asked;
    let answered = (): void => {};
    call.asked = new Promise((resolve) => {
      answered = resolve;
    });
    try {
      await before;
      if (phaseOf(call) === 'over') return undefined;
      this.#merge(call, fields);
      call.phase = 'asking';
      const ready = this.#ready(call);
      call.shownReady = JSON.stringify(ready);
      // When the agent ends the call while the question is open, an answer has no effect.
      const withdrawn = new Promise<undefined>((resolve) => {
        call.withdraw = () => resolve(undefined);
      });
      const asking = call.handle.confirm({
        ...ready,
        kind: toolKind(call.fields),
        options: choices.shown,
        alwaysOptions: choices.always,
      });
      const answer = await Promise.race([asking, withdrawn]);
      if (answer === undefined) return undefined;
      call.phase = answer.approved ? 'running' : 'over';
      return choices.optionFor(answer);
    } finally {
      answered();
    }
  }

  #start(fields: ToolCallFields): Call {
    const isReused = this.#calls.has(fields.toolCallId);
    this.#madeCount += 1;
    const content = new ToolCallContent(this.#output, this.#place);
    const call: Call = {
      content,
      fields: { toolCallId: fields.toolCallId, meta: {} },
      phase: 'announced',
      shownReady: '',
      shownContent: '[]',
      asked: Promise.resolve(),
      withdraw: () => {},
      handle: this.#output.toolCall({
        // An id that is used again after its call was over belongs to another call.
        toolCallId: isReused ? `${fields.toolCallId}#${this.#madeCount}` : fields.toolCallId,
        toolName: toolName(fields),
        displayName: KIND_NAMES[fields.kind ?? ''] ?? 'Tool',
        kind: toolKind(fields),
        meta: this.#meta(fields),
      }),
    };
    this.#calls.set(fields.toolCallId, call);
    return call;
  }

  #merge(call: Call, fields: ToolCallFields): void {
    // The shown content is kept instead of the agent's blocks, which may be two versions of a large file.
    const { content, ...rest } = fields;
    call.fields = { ...call.fields, ...rest };
    if (content !== undefined) call.content.replace(content);
    call.content.readTerminal(fields.meta);
    for (const terminal of call.content.terminals()) {
      terminal.use({ turnId: this.#place.turnId, toolCallId: call.handle.id });
    }
  }

  #run(call: Call): void {
    const ready = this.#ready(call);
    const shown = JSON.stringify(ready);
    if (call.phase === 'running' && shown === call.shownReady) return;
    call.phase = 'running';
    call.shownReady = shown;
    call.handle.run(ready);
  }

  #showContent(call: Call): void {
    if (call.phase !== 'running') return;
    const parts = call.content.parts();
    const shown = JSON.stringify(parts);
    if (shown === call.shownContent) return;
    call.shownContent = shown;
    call.handle.content(parts);
  }

  async #end(call: Call, success: boolean): Promise<void> {
    if (call.phase === 'announced' || call.phase === 'running') this.#run(call);
    call.phase = 'over';
    call.withdraw();
    const result = this.#result(call, success);
    const report = call.content.text() || outputText(call.fields.rawOutput);
    await this.#place.callEnded(call.fields.toolCallId, success, report);
    for (const terminal of call.content.terminals()) terminal.use(undefined);
    await call.handle.complete(result, { meta: this.#meta(call.fields) });
  }

  #result(call: Call, success: boolean): ToolCallResult {
    const { rawOutput } = call.fields;
    const content = call.content.parts({ isOver: true, isFailure: !success });
    const text = outputText(rawOutput);
    if (content.length === 0 && text !== undefined) content.push({ type: 'text', text });
    const structuredContent = structuredOutput(rawOutput, content);
    return {
      success,
      pastTenseMessage: titleOf(call.fields),
      ...(content.length === 0 ? {} : { content: content satisfies ToolResultContent[] }),
      ...defined({ structuredContent }),
      ...(success ? {} : { error: { message: call.content.text() || (text ?? 'The tool failed.') } }),
    };
  }

  #ready(call: Call): ToolCallReady {
    const toolInput = inputText(call.fields.rawInput);
    const edits = call.content.edits();
    return {
      invocationMessage: titleOf(call.fields),
      meta: this.#meta(call.fields),
      ...defined({ toolInput }),
      ...(edits.length === 0 ? {} : { edits }),
    };
  }

  /** Additional data for clients: the kind, and the locations of the call. */
  #meta(fields: ToolCallFields): Record<string, unknown> {
    const locations = fields.locations?.map(({ path, line }) => ({
      uri: fileUri(path, this.#place.workingDirectory),
      ...defined({ line }),
    }));
    return {
      toolKind: fields.kind ?? 'other',
      ...(locations === undefined || locations.length === 0 ? {} : { locations }),
    };
  }
}

/** A function, because the phase changes during an await. */
function phaseOf(call: Call): Phase {
  return call.phase;
}

function isEnd(fields: ToolCallFields): boolean {
  return fields.status === 'completed' || fields.status === 'failed';
}

/** The tool's own name, from the schema's field or from the agent's extension. */
function toolName(fields: ToolCallFields): string {
  const vendor = Object.values(fields.meta)
    .map((value) => textOf(objectOf(value)['toolName']))
    .find((name) => name !== undefined);
  return fields.name ?? textOf(fields.meta['toolName']) ?? vendor ?? fields.kind ?? 'tool';
}

/** The kinds of the protocol that hosts also have. */
const TOOL_KINDS: readonly ToolKind[] = [
  'read',
  'edit',
  'delete',
  'move',
  'search',
  'execute',
  'think',
  'fetch',
];

function toolKind({ kind }: ToolCallFields): ToolKind {
  return TOOL_KINDS.find((known) => known === kind) ?? 'other';
}

function titleOf(fields: ToolCallFields): string {
  return fields.title ?? KIND_NAMES[fields.kind ?? ''] ?? 'Tool call';
}

function inputText(rawInput: unknown): string | undefined {
  if (typeof rawInput === 'string') return textOf(rawInput);
  if (isObject(rawInput) && Object.keys(rawInput).length === 0) return undefined;
  return rawInput === undefined ? undefined : JSON.stringify(rawInput);
}

function outputText(rawOutput: unknown): string | undefined {
  if (typeof rawOutput === 'string') return textOf(rawOutput);
  if (rawOutput === undefined) return undefined;
  const said: JsonObject = objectOf(rawOutput);
  return (
    textOf(said['output']) ?? textOf(said['error']) ?? textOf(said['message']) ?? JSON.stringify(rawOutput)
  );
}
