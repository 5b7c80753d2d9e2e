import { createHash } from 'node:crypto';
import { isAbsolute, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { TurnOutput } from '@agenthost/host/agent';
import type { FileEdit, ToolResultContent } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { type JsonObject, numberOf, objectOf, stringOf, textOf } from '../json.ts';
import type { SharedTerminal, SharedTerminals } from '../session/terminals.ts';

/** How much output of a terminal that an agent runs by itself is kept, in UTF-16 code units. The head goes first. */
const MAX_TERMINAL_TEXT = 256 * 1024;

/** What the content of a tool call refers to. */
export interface ContentPlace {
  readonly workingDirectory: string;
  readonly terminals: Pick<SharedTerminals, 'find'>;
}

/**
 * The content of one tool call: what the agent sent as blocks, its file changes, the terminals that it runs through the host, and the
 * output of one of its own.
 */
export class ToolCallContent {
  readonly #output: TurnOutput;
  readonly #place: ContentPlace;
  #blocks: readonly JsonObject[] = [];
  #diffs: readonly JsonObject[] = [];
  #terminals: readonly SharedTerminal[] = [];
  #terminalText = '';
  #isTerminalCut = false;
  #exitCode: number | undefined;
  #terminalCwd: string | undefined;
  #hasExited = false;
  /** By digest. */
  readonly #edits = new Map<string, FileEdit>();

  constructor(output: TurnOutput, place: ContentPlace) {
    this.#output = output;
    this.#place = place;
  }

  /**
   * Takes the blocks of an update, which replace earlier ones. File changes stay when only text takes their place: agents end a write
   * by "done", and the change is what people want to see. So do terminals.
   */
  replace(sent: readonly JsonObject[]): void {
    this.#blocks = sent.map((block) => (block['type'] === 'diff' ? this.#described(block) : block));
    const diffs = this.#blocks.filter((block) => block['type'] === 'diff');
    if (diffs.length > 0) this.#diffs = diffs;
    const terminals = sent.flatMap((block) => this.#shared(block) ?? []);
    if (terminals.length > 0) this.#terminals = terminals;
  }

  /** The terminals that it embeds and the host runs. */
  terminals(): readonly SharedTerminal[] {
    return this.#terminals;
  }

  /** Takes what agents with terminals of their own (codex, claude) tell of them in `_meta`. Returns whether there was anything. */
  readTerminal(meta: JsonObject): boolean {
    const info = objectOf(meta['terminal_info']);
    const added =
      stringOf(objectOf(meta['terminal_output_delta'])['data']) ??
      stringOf(objectOf(meta['terminal_output'])['data']) ??
      '';
    const exit = objectOf(meta['terminal_exit']);
    this.#terminalCwd = textOf(info['cwd']) ?? this.#terminalCwd;
    if (added !== '') {
      const text = this.#terminalText + added;
      this.#isTerminalCut ||= text.length > MAX_TERMINAL_TEXT;
      this.#terminalText = text.slice(-MAX_TERMINAL_TEXT);
    }
    if (Object.keys(exit).length > 0) {
      this.#hasExited = true;
      this.#exitCode = numberOf(exit['exit_code']);
    }
    return added !== '' || Object.keys(exit).length > 0;
  }

  /** The file changes. */
  edits(): FileEdit[] {
    return this.#diffs.flatMap((block) => this.#edit(block) ?? []);
  }

  /**
   * All of it, in the agent's order, after changes and terminals that it does not repeat; terminals of the agent itself come last.
   * `isFailure`: the call has failed, and changes that are not repeated were not made.
   */
  parts({ isOver = false, isFailure = false } = {}): ToolResultContent[] {
    const shown = new Set(this.#blocks.map((block) => this.#shared(block)));
    const before = this.#terminals.filter((terminal) => !shown.has(terminal));
    const kept = isFailure || this.#blocks.some((block) => block['type'] === 'diff') ? [] : this.#diffs;
    const parts = [...kept, ...this.#blocks].flatMap((block): ToolResultContent[] => {
      const terminal = this.#shared(block);
      if (terminal !== undefined) return terminal.parts(isOver);
      const edit = this.#edit(block);
      if (edit !== undefined) return [{ type: 'fileEdit', ...edit }];
      return block['type'] === 'content' ? contentPart(objectOf(block['content'])) : [];
    });
    parts.unshift(...before.flatMap((terminal) => terminal.parts(isOver)));
    if (this.#hasExited) {
      parts.push({
        type: 'terminalComplete',
        preview: this.#terminalText,
        truncated: this.#isTerminalCut,
        ...defined({ exitCode: this.#exitCode }),
        ...(this.#terminalCwd === undefined ? {} : { cwd: pathToFileURL(this.#terminalCwd).href }),
      });
    } else if (this.#terminalText !== '') {
      parts.push({ type: 'text', text: this.#terminalText });
    }
    return parts;
  }

  /** The text among the blocks, for error messages. */
  text(): string {
    return this.#blocks
      .flatMap((block) => textOf(objectOf(block['content'])['text']) ?? [])
      .join('\n')
      .trim();
  }

  #shared(block: JsonObject): SharedTerminal | undefined {
    return block['type'] === 'terminal'
      ? this.#place.terminals.find(stringOf(block['terminalId']) ?? '')
      : undefined;
  }

  /** A file change as a block that names it: its texts are let go. */
  #described(block: JsonObject): JsonObject {
    const path = textOf(block['path']);
    if (path === undefined) return { type: 'diff' };
    const uri = fileUri(path, this.#place.workingDirectory);
    // Agents say a new file by `null` or by an empty text before.
    const before = textOf(block['oldText']);
    const after = stringOf(block['newText']);
    // Contents are stored when described, so each change is described once, however often the agent repeats it.
    const edit = digestOf(uri, before, after);
    if (!this.#edits.has(edit)) {
      const change = {
        uri,
        ...defined({ before, after }),
      };
      this.#edits.set(edit, this.#output.fileEdit(change));
    }
    return { type: 'diff', edit };
  }

  #edit(block: JsonObject): FileEdit | undefined {
    const edit = block['edit'];
    return block['type'] === 'diff' && typeof edit === 'string' ? this.#edits.get(edit) : undefined;
  }
}

function digestOf(...texts: readonly (string | undefined)[]): string {
  const hash = createHash('sha256');
  for (const text of texts) hash.update(`${text?.length ?? 'absent'}:`).update(text ?? '');
  return hash.digest('base64');
}

/** A path of an agent's as a `file:` URI; some say paths relative to the working directory. */
export function fileUri(path: string, workingDirectory: string): string {
  return pathToFileURL(isAbsolute(path) ? path : resolve(workingDirectory, path)).href;
}

function contentPart(content: JsonObject): ToolResultContent[] {
  const contentType = textOf(content['mimeType']);
  switch (content['type']) {
    case 'text': {
      const text = textOf(content['text']);
      return text === undefined ? [] : [{ type: 'text', text }];
    }
    case 'image':
    case 'audio': {
      const data = textOf(content['data']);
      return data === undefined
        ? []
        : [{ type: 'embeddedResource', data, contentType: contentType ?? 'application/octet-stream' }];
    }
    case 'resource_link': {
      const uri = textOf(content['uri']);
      return uri === undefined ? [] : [{ type: 'resource', uri, ...defined({ contentType }) }];
    }
    case 'resource': {
      const resource = objectOf(content['resource']);
      const text = textOf(resource['text']);
      if (text !== undefined) return [{ type: 'text', text }];
      const data = textOf(resource['blob']);
      const type = textOf(resource['mimeType']) ?? 'application/octet-stream';
      return data === undefined ? [] : [{ type: 'embeddedResource', data, contentType: type }];
    }
    default:
      return [];
  }
}
