import { type ChatCompletionRequest, type ChatMessage, LLMock, type ToolCall } from '@copilotkit/aimock';
import { openNamespaceProxy } from './namespace-proxy.ts';

/** Answer to a prompt without keywords. */
export const greeting = 'Hello from the stand-in model, word by word.';
/** Answer after the result of a tool. */
export const afterTool = 'The tool has answered and that is that.';

/** A prompt that makes the model call the agent's tool for writing a file. `path` is absolute. */
export const writePrompt = (path: string, text: string): string =>
  `WRITEFILE ${path} :: ${text.replaceAll('\n', '\\n')} ::`;
/** A prompt that makes the model call the agent's tool for reading a file, as some agents must before they replace it. `path` is absolute. */
export const readPrompt = (path: string): string => `READFILE ${path} ::`;
/** A prompt that makes the model call the agent's tool for shell commands. */
export const shellPrompt = (command: string): string => `RUNSHELL :: ${command} ::`;
/** A prompt that makes the model do all of these one after the other, in one turn. */
export const allPrompt = (...prompts: readonly string[]): string => prompts.join(AND_THEN);
/**
 * A prompt that makes the model call a tool of a client, under any name that the agent has given it. The answer contains the result of the
 * tool, or `noSuchTool`.
 */
export const clientToolPrompt = (tool: string, input: object): string =>
  `CLIENTTOOL ${tool} :: ${JSON.stringify(input)} ::`;
/** Answer when the agent does not offer the requested tool. */
export const noSuchTool = 'No such tool is here.';
/** A prompt that makes the model ask the person to pick `Left` or `Right`. The answer contains the choice. */
export const askPrompt = 'ASKPERSON';
/** A prompt whose answer takes minutes. */
export const slowPrompt = 'SLOWLY please';
/** A prompt that plants a word. */
export const plantPrompt = (word: string): string => `Keep in mind: KEEPWORD-${word}.`;
/** A prompt whose answer names every planted word, of earlier messages and of its own. */
export const recallPrompt = 'RECALLWORDS';
/** Heads the words from earlier messages of the conversation. */
export const remembered = 'Remembered';
/** Heads the words that came with the question, as in a repeated transcript. */
export const toldAgain = 'Told again';

/** Separates the steps of a prompt. */
const AND_THEN = ' AND THEN ';

/** Arguments of each agent's tool for reading files, by the tool's name. */
const readTools: Record<string, (path: string) => object> = {
  // opencode
  read: (filePath) => ({ filePath }),
  // gemini, qwen
  read_file: (file_path) => ({ file_path }),
  // claude
  Read: (file_path) => ({ file_path }),
  // codex, which reads by shell commands
  exec_command: (path) => ({ cmd: `cat '${path}'` }),
};

/** Arguments of each agent's tool for writing files, by the tool's name. */
const writeTools: Record<string, (path: string, text: string) => object> = {
  // opencode
  write: (filePath, content) => ({ filePath, content }),
  // gemini, qwen
  write_file: (file_path, content) => ({ file_path, content }),
  // claude
  Write: (file_path, content) => ({ file_path, content }),
  // codex, which writes by shell commands; unless it asks to leave its sandbox, the command fails without a question
  exec_command: (path, text) => ({
    cmd: `printf '%s' '${text}' > '${path}'`,
    sandbox_permissions: 'require_escalated',
    justification: 'May this file be written?',
  }),
};

/** Arguments of each agent's tool for shell commands, by the tool's name. */
const shellTools: Record<string, (command: string) => object> = {
  // opencode
  bash: (command) => ({ command, description: 'Runs what was asked for' }),
  // gemini, qwen
  run_shell_command: (command) => ({ command, description: 'Runs what was asked for', is_background: false }),
  // claude
  Bash: (command) => ({ command, description: 'Runs what was asked for' }),
  // codex, whose sandbox is not available everywhere: it asks to leave it
  exec_command: (cmd) => ({
    cmd,
    sandbox_permissions: 'require_escalated',
    justification: 'May this command be run?',
  }),
};

function textOf(message: ChatMessage): string {
  if (typeof message.content === 'string') return message.content;
  return (message.content ?? []).map(({ text }) => text ?? '').join('\n');
}

/** The arguments of claude's tool for questions. */
const whichWay = {
  question: 'Which way?',
  header: 'Way',
  multiSelect: false,
  options: [
    { label: 'Left', description: 'Along the river' },
    { label: 'Right', description: 'Over the hill' },
  ],
};

const lastPrompt = (messages: readonly ChatMessage[]): number =>
  messages.findLastIndex(({ role }) => role === 'user');

type Wish =
  | { kind: 'write'; path: string; text: string }
  | { kind: 'read'; path: string }
  | { kind: 'shell'; command: string }
  | { kind: 'clientTool'; tool: string; input: string }
  | { kind: 'report'; said: string }
  | { kind: 'ask' | 'slow' | 'recall' | 'greet' | 'conclude' };

const keyword = new RegExp(
  `WRITEFILE (?<path>\\S+) :: (?<text>.*?) ::|READFILE (?<source>\\S+) ::|RUNSHELL :: (?<command>.*?) ::|CLIENTTOOL (?<tool>\\S+) :: (?<input>.*?) ::|${askPrompt}|${slowPrompt}|${recallPrompt}|KEEPWORD-`,
  'g',
);

/** The keywords of the last prompt that has any. Agents wrap prompts in reminders, send them in several messages, and keep those of cancelled turns. */
function stepsOf(prompts: string): readonly RegExpExecArray[] {
  const found = [...prompts.matchAll(keyword)];
  const first = found.findLastIndex((match, index) => {
    const before = found[index - 1];
    return before === undefined || prompts.slice(before.index + before[0].length, match.index) !== AND_THEN;
  });
  return found.slice(first);
}

/** Finds the wish of a request: the first step without an answer. Only tool results after the last prompt count. */
function wishOf({ messages }: ChatCompletionRequest): Wish {
  const since = messages.slice(lastPrompt(messages));
  const answers = since.filter(({ role }) => role === 'tool');
  const prompts = messages.filter(({ role }) => role === 'user').map(textOf);
  const steps = stepsOf(prompts.join('\n'));
  const isFound = since.some(({ tool_calls: calls = [] }) =>
    calls.some((each) => each.function.name === 'tool_search'),
  );
  const answeredCount = answers.length - (isFound ? 1 : 0);
  const step = steps[Math.max(answeredCount, 0)];
  if (step === undefined && answeredCount > 0) {
    const last = steps.at(-1);
    return last?.groups?.['tool'] === undefined && last?.[0] !== askPrompt
      ? { kind: 'conclude' }
      : { kind: 'report', said: answers.map(textOf).join(' ') };
  }
  return wishIn(step);
}

function wishIn(step: RegExpExecArray | undefined): Wish {
  const { path, text, source, command, tool, input } = step?.groups ?? {};
  if (path !== undefined && text !== undefined)
    return { kind: 'write', path, text: text.replaceAll('\\n', '\n') };
  if (source !== undefined) return { kind: 'read', path: source };
  if (command !== undefined) return { kind: 'shell', command };
  if (tool !== undefined && input !== undefined) return { kind: 'clientTool', tool, input };
  if (step?.[0] === askPrompt) return { kind: 'ask' };
  if (step?.[0] === slowPrompt) return { kind: 'slow' };
  return { kind: step?.[0] === recallPrompt ? 'recall' : 'greet' };
}

/** The tool call for a request, with the arguments of the agent's own tool. */
function toolCallFor(request: ChatCompletionRequest): ToolCall | undefined {
  const wish = wishOf(request);
  const names = (request.tools ?? []).map(({ function: { name } }) => name);
  if (wish.kind === 'write') {
    const name = names.find((each) => Object.hasOwn(writeTools, each));
    const build = name === undefined ? undefined : writeTools[name];
    return name === undefined || !build ? undefined : call(name, build(wish.path, wish.text));
  }
  if (wish.kind === 'read') {
    const name = names.find((each) => Object.hasOwn(readTools, each));
    const build = name === undefined ? undefined : readTools[name];
    return name === undefined || !build ? undefined : call(name, build(wish.path));
  }
  if (wish.kind === 'shell') {
    const name = names.find((each) => Object.hasOwn(shellTools, each));
    const build = name === undefined ? undefined : shellTools[name];
    return name === undefined || !build ? undefined : call(name, build(wish.command));
  }
  if (wish.kind === 'ask' && names.includes('AskUserQuestion'))
    return call('AskUserQuestion', { questions: [whichWay] });
  return wish.kind === 'clientTool' ? clientToolCall(request, names, wish) : undefined;
}

/** Agents prefix a tool's name with that of its server. Qwen Code hides the tools of servers until the model has searched for them. */
function clientToolCall(
  { messages }: ChatCompletionRequest,
  names: readonly string[],
  { tool, input }: { tool: string; input: string },
): ToolCall | undefined {
  const name = names.find((each) => each !== tool && each.endsWith(tool));
  if (name !== undefined) return { name, arguments: input };
  const hasLooked = messages.slice(lastPrompt(messages)).some(({ role }) => role === 'tool');
  if (hasLooked || !names.includes('tool_search')) return undefined;
  return call('tool_search', { query: `select:mcp__agenthost__${tool}` });
}

const call = (name: string, input: object): ToolCall => ({ name, arguments: JSON.stringify(input) });

/** Tells words of earlier messages from words that came with the question, which shows how the agent resumed. */
function recall({ messages }: ChatCompletionRequest): string {
  const heard = messages.filter(({ role }) => role === 'user').map(textOf);
  const asked = heard.findLastIndex((text) => text.includes(recallPrompt));
  const wordsIn = (texts: readonly string[]): string =>
    [...new Set(texts.join('\n').match(/KEEPWORD-\w+/g))].join(' ') || 'nothing';
  return `${remembered}: ${wordsIn(heard.slice(0, asked))}. ${toldAgain}: ${wordsIn(heard.slice(asked))}.`;
}

function answerTo(request: ChatCompletionRequest): string {
  const wish = wishOf(request);
  switch (wish.kind) {
    case 'conclude':
      return afterTool;
    case 'report':
      return `${afterTool} It said: ${wish.said}`;
    case 'clientTool':
      return noSuchTool;
    case 'recall':
      return recall(request);
    default:
      return greeting;
  }
}

/**
 * Starts a model on a free port of the loopback interface. It follows a script keyed by words in the prompt, in every wire format that the
 * agents use. Resolves with `http://127.0.0.1:<port>`, without a path.
 */
export async function startStandInModel(): Promise<string> {
  const mock = new LLMock({ port: 0, host: '127.0.0.1' });
  mock.addFixtures([
    {
      match: { predicate: (request) => wishOf(request).kind === 'slow' },
      response: { content: Array.from({ length: 600 }, (_, index) => `word${index} `).join('') },
      chunkSize: 8,
      streamingProfile: { ttft: 50, tps: 4 },
    },
    {
      match: { predicate: (request) => toolCallFor(request) !== undefined },
      response: (request) => {
        const wanted = toolCallFor(request);
        return { toolCalls: wanted ? [wanted] : [] };
      },
    },
    { match: {}, response: (request) => ({ content: answerTo(request) }), chunkSize: 6, latency: 15 },
  ]);
  return openNamespaceProxy(await mock.start());
}
