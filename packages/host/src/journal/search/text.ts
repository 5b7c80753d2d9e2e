import type { ToolInput, Turn } from '@agenthost/protocol';

/** Searchable length of a message and of an answer. Indexing that much takes a few milliseconds of the turn's last commit. */
const MAX_UNITS = 32_768;

/** The searchable text of a turn. */
export interface TurnText {
  readonly message: string;
  /** The answer with the names, intentions and commands of its tool calls, without reasoning. */
  readonly response: string;
}

/** The searchable text of a stored turn; empty for other JSON. */
export function textOf(json: string): TurnText {
  const turn: Partial<Turn> | null = parse(json);
  const { message, responseParts = [] } = turn ?? {};
  const pieces: string[] = [];
  let left = MAX_UNITS;
  for (const part of responseParts) {
    for (const piece of piecesOf(part)) {
      if (left <= 0) break;
      pieces.push(piece.slice(0, left));
      left -= piece.length;
    }
  }
  return { message: (message?.text ?? '').slice(0, MAX_UNITS), response: pieces.join('\n') };
}

function piecesOf(part: Turn['responseParts'][number]): string[] {
  if (part.kind === 'markdown') return [part.content];
  if (part.kind !== 'toolCall') return [];
  const { displayName, intention = '' } = part.toolCall;
  const input = 'toolInput' in part.toolCall ? part.toolCall.toolInput : undefined;
  return [displayName, intention, inputCommand(input)].filter((text) => text !== '');
}

/** Of a referenced input, the command in its beginning [CHAT-35]. */
function inputCommand(input: ToolInput | undefined): string {
  if (typeof input !== 'object') return commandOf(input ?? '');
  const [, cut = ''] = CUT_COMMAND.exec(input['x-beginning'] ?? '') ?? [];
  return commandOf(`{"command":"${cut.replace(/\\(?:u[0-9a-fA-F]{0,3})?$/, '')}"}`);
}

/** The JSON string after the name, up to its end or to the end of the text. */
const CUT_COMMAND = /^\{.*?"command"\s*:\s*"((?:[^"\\]|\\.)*\\?)/s;

/** The command in a tool's input. The rest is left out: written files would fill most of the index. */
function commandOf(input: string): string {
  if (!input.startsWith('{') || !input.includes('"command"')) return '';
  const parsed: { command?: unknown } | null = parse(input);
  return typeof parsed?.command === 'string' ? parsed.command : '';
}

/** The title in a summary or a state; empty when there is none. */
export function titleIn(json: string): string {
  const parsed: { title?: unknown } | null = parse(json);
  return typeof parsed?.title === 'string' ? parsed.title : '';
}

/** `null` for text that is not JSON, so that no commit fails because of the index. */
function parse<T>(json: string): T | null {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}
