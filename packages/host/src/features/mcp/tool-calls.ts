import type { ToolCallResult, ToolDefinition } from '@agenthost/protocol';
import { defined, errorText } from '@agenthost/protocol/values';
import type {
  CallToolResult,
  CreateMessageRequestParams,
  Progress,
  Tool,
} from '@modelcontextprotocol/client';
import type { HostToolCall, ToolCallHandle } from '../../agents/tool-call.ts';
import { beginningOf } from '../../lib/beginning-of.ts';
import { type Clock, steadyNow } from '../../lib/clock.ts';
import { deniedResult, failure } from '../../turns/tools/client-tool.ts';
import { inputObject, type ToolTurn } from '../../turns/tools/host-tools.ts';
import { McpAuthChallenge } from './challenge.ts';
import { toolCallResult } from './results.ts';
import { Sampler } from './sampling.ts';
import type { McpServer } from './server.ts';
import type { McpTokens } from './tokens.ts';
import { viewOf } from './tool-audience.ts';
import { untilAborted } from './until-aborted.ts';

/** Least time between two shown steps of progress, in milliseconds. */
const PROGRESS_MS = 250;
/** A call asks for a token at most this often. */
const MAX_SIGN_INS = 3;

/** Longest title of a tool, in UTF-16 code units. The rest is cut. */
const MAX_TITLE_LENGTH = 200;

/** A tool of a server in a session. */
export interface OfferedMcpTool {
  /** Name for agents. */
  readonly name: string;
  /** Id of the server's customization. */
  readonly id: string;
  readonly server: McpServer;
  readonly tool: Tool;
  readonly definition: ToolDefinition;
}

interface Parts {
  readonly clock: Clock;
  readonly tokens: McpTokens;
}

/** A call of an MCP tool. */
interface McpCall {
  readonly offered: OfferedMcpTool;
  readonly call: HostToolCall;
  readonly withdrawn: AbortSignal | undefined;
}

/** The name of a tool for people. */
const titleOf = ({ tool, server }: OfferedMcpTool): string =>
  `${beginningOf(tool.title ?? tool.annotations?.title ?? tool.name, MAX_TITLE_LENGTH)} (${server.entry.name})`;

/**
 * Runs a call of an MCP tool in a turn: shows it, asks people unless the tool says that it only reads, and shows its progress. Never rejects. A
 * call that needs a token waits for it [CHAT-30].
 */
export async function runMcpTool(
  parts: Parts,
  turn: ToolTurn,
  { offered, call, withdrawn }: McpCall,
): Promise<ToolCallResult> {
  const { annotations } = offered.tool;
  const title = titleOf(offered);
  const isReading = annotations?.readOnlyHint === true;
  const view = viewOf(offered.tool);
  const handle = turn.toolCall({
    ...defined({ toolCallId: call.toolCallId }),
    toolName: call.name,
    displayName: title,
    kind: isReading ? 'read' : 'other',
    contributor: { kind: 'mcp', customizationId: offered.id },
    ...(view === undefined ? {} : { meta: { ui: { resourceUri: view } } }),
  });
  const ended = AbortSignal.any([turn.over, ...(withdrawn === undefined ? [] : [withdrawn])]);
  const complete = async (result: ToolCallResult): Promise<ToolCallResult> => {
    await handle.complete(result);
    return result;
  };
  const ready = { invocationMessage: `Run ${title}`, toolInput: call.toolInput };
  if (isReading) handle.run(ready);
  else {
    const isDestructive = annotations?.destructiveHint !== false;
    const answer = await untilAborted(
      handle.confirm({
        ...ready,
        confirmationTitle: isDestructive ? `Run ${title}?` : `Run ${title}? It destroys nothing.`,
        editable: true,
      }),
      ended,
    );
    if (answer === undefined) return complete(failure('calledOff', 'The call was cancelled'));
    if (!answer.approved) return deniedResult(answer);
    return complete(await answered(answer.toolInput ?? call.toolInput));
  }
  return complete(await answered(call.toolInput));

  function failed(code: string, message: string): ToolCallResult {
    return { ...failure(code, message), pastTenseMessage: `${title} failed` };
  }

  async function answered(toolInput: string): Promise<ToolCallResult> {
    const input = inputObject(toolInput);
    if (input === undefined) return failed('badInput', 'The input must be a JSON object');
    try {
      return toolCallResult(
        await calling(parts, turn, { offered, handle, input, ended, askModel: call.askModel }),
        title,
      );
    } catch (error) {
      if (ended.aborted) return failed('calledOff', 'The call was cancelled');
      return failed('mcpServerFailed', errorText(error).slice(0, 4_000));
    }
  }
}

interface Calling {
  readonly offered: OfferedMcpTool;
  readonly handle: ToolCallHandle;
  readonly input: Record<string, unknown>;
  readonly ended: AbortSignal;
  readonly askModel: HostToolCall['askModel'];
}

/** Calls the tool, again after each sign-in. */
async function calling(parts: Parts, turn: ToolTurn, of: Calling): Promise<CallToolResult> {
  const { offered, handle, input, ended, askModel } = of;
  const sampler =
    askModel && new Sampler(turn, { server: offered.server.entry.name, id: offered.id, askModel });
  let shownAt = Number.NEGATIVE_INFINITY;
  const onProgress = (progress: Progress): void => {
    const now = steadyNow(parts.clock);
    if (now - shownAt < PROGRESS_MS) return;
    shownAt = now;
    handle.content([{ type: 'text', text: progressText(progress) }]);
  };
  for (let signInCount = 0; ; signInCount += 1) {
    try {
      return await offered.server.call({
        tool: offered.tool.name,
        input,
        signal: ended,
        onProgress,
        ask: (questions, withdrawn) => turn.ask(questions, AbortSignal.any([withdrawn, ended])),
        ...(sampler === undefined
          ? {}
          : {
              sample: (params: CreateMessageRequestParams, withdrawn: AbortSignal) =>
                sampler.sample(params, AbortSignal.any([withdrawn, ended])),
            }),
      });
    } catch (error) {
      if (!(error instanceof McpAuthChallenge) || signInCount >= MAX_SIGN_INS) throw error;
      offered.server.awaitToken(error.auth);
      const token = await untilAborted(handle.signIn(error.auth), ended);
      const { entry } = offered.server;
      if (token !== undefined && entry.kind !== 'stdio') await parts.tokens.set(entry.url, token);
      offered.server.resume();
      if (token === undefined) throw new Error('Nobody signed in to the MCP server', { cause: error });
    }
  }
}

function progressText({ progress, total, message }: Progress): string {
  const count = total === undefined ? `${progress}` : `${progress} of ${total}`;
  return message === undefined ? `Progress: ${count}` : `Progress: ${count}, ${message.slice(0, 1_000)}`;
}
