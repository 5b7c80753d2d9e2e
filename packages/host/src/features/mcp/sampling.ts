import type { ConfirmationOption } from '@agenthost/protocol';
import { defined, errorText } from '@agenthost/protocol/values';
import type {
  CreateMessageRequestParams,
  CreateMessageResult,
  SamplingMessageContentBlock,
} from '@modelcontextprotocol/client';
import type { ModelRequest, ModelRequestContent } from '../../agents/model-request.ts';
import type { HostToolCall } from '../../agents/tool-call.ts';
import { failure } from '../../turns/tools/client-tool.ts';
import type { ToolTurn } from '../../turns/tools/host-tools.ts';
import { untilAborted } from './until-aborted.ts';

/** Most requests of one call of a tool. */
const MAX_REQUESTS = 100;
/** Longest text of a request, in UTF-16 code units. */
const MAX_TEXT_LENGTH = 256 * 1024;
/** Most base64 characters of pictures of a request. */
const MAX_DATA_LENGTH = 8 * 1024 * 1024;
const MAX_MESSAGES = 1_000;
/** Code of MCP for a request that a person has refused. */
const REFUSED_CODE = -1;
const CANCELLED = 'The request was cancelled';

/** A request for a model that is not answered. The server gets the message. */
export class SamplingRefused extends Error {
  override readonly name = 'SamplingRefused';
  readonly code = REFUSED_CODE;
}

const OPTIONS: ConfirmationOption[] = [
  { id: 'allow', label: 'Answer', kind: 'approve', group: 0 },
  { id: 'call', label: 'Answer, and all others of this call', kind: 'approve', group: 0 },
  { id: 'deny', label: 'Refuse', kind: 'deny', group: 1 },
];

/** The call whose server asks. */
interface SamplerOf {
  /** Name of the server. */
  readonly server: string;
  /** Id of its customization. */
  readonly id: string;
  readonly askModel: NonNullable<HostToolCall['askModel']>;
}

/** Answers the requests that a server makes to the model of a chat during one call of its tools (`sampling/createMessage`). */
export class Sampler {
  readonly #turn: ToolTurn;
  readonly #of: SamplerOf;
  #count = 0;
  /** Whether a person has allowed all further requests of the call. */
  #isAllowed = false;

  constructor(turn: ToolTurn, of: SamplerOf) {
    this.#turn = turn;
    this.#of = of;
  }

  /**
   * Shows a request as a tool call of the turn, asks people for approval by the session's `approvals`, and returns the answer of the model, which
   * people see too. Rejects with the reason for the server, with `SamplingRefused` if it is not answered.
   */
  async sample(params: CreateMessageRequestParams, signal: AbortSignal): Promise<CreateMessageResult> {
    const request = modelRequest(params);
    this.#count += 1;
    if (this.#count > MAX_REQUESTS)
      throw new SamplingRefused(`A call may ask the model ${MAX_REQUESTS} times`);
    const { id: customizationId, server, askModel } = this.#of;
    const handle = this.#turn.toolCall({
      toolName: 'mcp_sampling',
      displayName: `Answer of the model (${server})`,
      intention: `The MCP server ${server} asks the model of this chat`,
      contributor: { kind: 'mcp', customizationId },
    });
    const ready = { invocationMessage: `Ask the model for ${server}`, toolInput: shownRequest(request) };
    if (this.#isAllowed) handle.run(ready);
    else {
      const asked = handle.confirm({
        ...ready,
        confirmationTitle: `Let ${server} ask the model?`,
        options: OPTIONS,
      });
      const answer = await untilAborted(asked, signal);
      if (answer === undefined) {
        await handle.complete(failure('calledOff', CANCELLED));
        throw new SamplingRefused(CANCELLED);
      }
      if (!answer.approved) throw new SamplingRefused(`The request was ${answer.reason}`);
      this.#isAllowed = answer.selectedOption?.id === 'call';
    }
    try {
      signal.throwIfAborted();
      const { text, model, isCutShort } = await askModel(request, signal);
      await handle.complete({
        success: true,
        pastTenseMessage: `The model answered ${server}`,
        content: [{ type: 'text', text }],
      });
      return {
        role: 'assistant',
        model,
        content: { type: 'text', text },
        stopReason: isCutShort ? 'maxTokens' : 'endTurn',
      };
    } catch (error) {
      const message = signal.aborted ? CANCELLED : errorText(error).slice(0, 4_000);
      await handle.complete(failure('modelFailed', message));
      throw new Error(message, { cause: error });
    }
  }
}

/** The request in the form that agents take. Throws `SamplingRefused` for one that no agent answers. */
function modelRequest(params: CreateMessageRequestParams): ModelRequest {
  const { messages, systemPrompt: system, maxTokens, temperature, stopSequences } = params;
  if (params.tools !== undefined || params.toolChoice !== undefined)
    throw new SamplingRefused('The model calls no tools for servers');
  if (messages.length === 0 || messages.length > MAX_MESSAGES)
    throw new SamplingRefused(`messages: expected 1 to ${MAX_MESSAGES}, got ${messages.length}`);
  if (maxTokens < 1) throw new SamplingRefused(`maxTokens: expected a positive number, got ${maxTokens}`);
  const converted = messages.map(({ role, content }) => ({
    role,
    content: [content].flat().map((block) => contentOf(role, block)),
  }));
  const all = converted.flatMap(({ content }) => content);
  const textLength = all.reduce(
    (sum, block) => sum + (block.type === 'text' ? block.text.length : 0),
    system?.length ?? 0,
  );
  const dataLength = all.reduce((sum, block) => sum + (block.type === 'image' ? block.data.length : 0), 0);
  if (textLength > MAX_TEXT_LENGTH || dataLength > MAX_DATA_LENGTH)
    throw new SamplingRefused(
      `The request is too long: at most ${MAX_TEXT_LENGTH} characters of text and ${MAX_DATA_LENGTH} of pictures`,
    );
  return { messages: converted, maxTokens, ...defined({ system, temperature, stopSequences }) };
}

function contentOf(role: 'user' | 'assistant', block: SamplingMessageContentBlock): ModelRequestContent {
  if (block.type === 'text') return { type: 'text', text: block.text };
  if (block.type === 'image' && role === 'user')
    return { type: 'image', data: block.data, contentType: block.mimeType };
  throw new SamplingRefused(`The model takes no content of type ${block.type} from the ${role}`);
}

/** All that the model would get, for people. */
function shownRequest({ system, messages }: ModelRequest): string {
  const shown = messages.map(({ role, content }) => {
    const texts = content.map((block) =>
      block.type === 'text' ? block.text : `[${block.contentType}: ${block.data.length} base64 characters]`,
    );
    return `${role === 'user' ? 'User' : 'Assistant'}:\n${texts.join('\n')}`;
  });
  return [...(system === undefined ? [] : [`System:\n${system}`]), ...shown].join('\n\n');
}
