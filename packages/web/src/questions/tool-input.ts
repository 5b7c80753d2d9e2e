/** The input of a tool call, for people. */
export interface ShownInput {
  /** `command`: a shell command. `json`: indented JSON. `text`: anything else. */
  readonly kind: 'command' | 'json' | 'text';
  readonly text: string;
  /** The folder that the input names. */
  readonly folder?: string;
}

const COMMAND_KEYS = ['command', 'cmd', 'commandLine', 'script'];
const FOLDER_KEYS = ['cwd', 'workdir', 'workingDirectory', 'working_directory', 'directory'];

/** Reads the raw input of a tool call. `undefined` for an input without content. */
export function readToolInput(raw: string): ShownInput | undefined {
  const parsed = parse(raw);
  if (raw.trim() === '' || (isRecord(parsed) && Object.keys(parsed).length === 0)) return undefined;
  if (!isRecord(parsed)) {
    return typeof parsed === 'object' && parsed !== null
      ? { kind: 'json', text: JSON.stringify(parsed, undefined, 2) }
      : { kind: 'text', text: typeof parsed === 'string' ? parsed : raw };
  }
  const folder = FOLDER_KEYS.map((key) => parsed[key]).find((value) => typeof value === 'string');
  const named = typeof folder === 'string' && folder !== '' ? { folder } : {};
  for (const key of COMMAND_KEYS) {
    const command = commandOf(parsed[key]);
    if (command !== undefined) return { kind: 'command', text: command, ...named };
  }
  return { kind: 'json', text: JSON.stringify(parsed, undefined, 2), ...named };
}

/** Why a text is not the JSON object that a tool expects; `undefined` if it is, or if the present input is no JSON either. */
export function inputProblem(present: string, edited: string): string | undefined {
  if (parse(present) === undefined) return undefined;
  try {
    JSON.parse(edited);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** The raw input in the form in which people edit it: JSON is indented. */
export function editableInput(raw: string): string {
  const parsed = parse(raw);
  return typeof parsed === 'object' && parsed !== null ? JSON.stringify(parsed, undefined, 2) : raw;
}

function commandOf(value: unknown): string | undefined {
  if (typeof value === 'string' && value !== '') return value;
  if (!Array.isArray(value) || value.length === 0) return undefined;
  return value.every((part) => typeof part === 'string') ? value.map(quoted).join(' ') : undefined;
}

const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

function parse(raw: string): unknown {
  try {
    return JSON.parse(raw);
  } catch {
    return undefined;
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
