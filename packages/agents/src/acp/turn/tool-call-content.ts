import { createHash } from 'node:crypto';
import { isAbsolute, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { TurnOutput } from '@agenthost/host/agent';
import type { FileEdit, ToolResultContent } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { type JsonObject, objectOf, stringOf, textOf } from '../json.ts';
import type { SharedTerminal, SharedTerminals } from '../session/terminals.ts';

/** Output that is kept of an agent's own terminal, in UTF-16 code units. The beginning is dropped first. */
const MAX_TERMINAL_TEXT = 256 * 1024;

/** Resources that the content of a tool call refers to. */
export interface ContentPlace {
  readonly workingDirectory: string;
  readonly terminals: Pick<SharedTerminals, 'find'>;
}

/**
 * The content of one tool call: the agent's blocks, file changes, terminals run through the host, and the
 * output of the agent's own terminal.
 */
export class ToolCallContent {
  readonly #output: TurnOutput;
  readonly #place: ContentPlace;
  #blocks: readonly JsonObject[] = [];
  #diffs: readonly JsonObject[] = [];
  #terminals: readonly SharedTerminal[] = [];
  #terminalText = '';
  #isTerminalCut = false;
  /** By digest. */
  readonly #edits = new Map<string, FileEdit>();

  constructor(output: TurnOutput, place: ContentPlace) {
    this.#output = output;
    this.#place = place;
  }

  /**
   * Takes the blocks of an update, which replace earlier ones. File changes and terminals stay when only text
   * replaces them: agents end a write with "done", and people want to see the change.
   */
  replace(sent: readonly JsonObject[]): void {
    this.#blocks = sent.map((block) => (block['type'] === 'diff' ? this.#described(block) : block));
    const diffs = this.#blocks.filter((block) => block['type'] === 'diff');
    if (diffs.length > 0) this.#diffs = diffs;
    const terminals = sent.flatMap((block) => this.#shared(block) ?? []);
    if (terminals.length > 0) this.#terminals = terminals;
  }

  /** The embedded terminals that the host runs. */
  terminals(): readonly SharedTerminal[] {
    return this.#terminals;
  }

  /**
   * Reads the `_meta` with which some agents (Codex, Claude Code) report their own terminals. Returns whether
   * there was any.
   */
  readTerminal(meta: JsonObject): boolean {
    const added =
      stringOf(objectOf(meta['terminal_output_delta'])['data']) ??
      stringOf(objectOf(meta['terminal_output'])['data']) ??
      '';
    const exit = objectOf(meta['terminal_exit']);
    if (added !== '') {
      const text = this.#terminalText + added;
      this.#isTerminalCut ||= text.length > MAX_TERMINAL_TEXT;
      this.#terminalText = text.slice(-MAX_TERMINAL_TEXT);
    }
    return added !== '' || Object.keys(exit).length > 0;
  }

  /** The file changes. */
  edits(): FileEdit[] {
    return this.#diffs.flatMap((block) => this.#edit(block) ?? []);
  }

  /**
   * The whole content: file changes and terminals that the agent does not repeat, then its blocks in order,
   * then the agent's own terminal. `isFailure`: the call failed, and changes that are not repeated were not
   * made.
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
    if (this.#terminalText !== '') {
      const cut = this.#isTerminalCut ? '[...]\n' : '';
      parts.push({ type: 'text', text: `${cut}${this.#terminalText}` });
    }
    return parts;
  }

  /** The text of the blocks, for error messages. */
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

  /** A block that names a file change without its texts, which are released. */
  #described(block: JsonObject): JsonObject {
    const path = textOf(block['path']);
    if (path === undefined) return { type: 'diff' };
    const uri = fileUri(path, this.#place.workingDirectory);
    // Agents mark a new file by `null` or by an empty old text.
    const before = textOf(block['oldText']);
    const after = stringOf(block['newText']);
    // Describing stores the contents, so each change is described once, however often the agent repeats it.
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

/** An agent's path as a `file:` URI. Some agents send paths relative to the working directory. */
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
