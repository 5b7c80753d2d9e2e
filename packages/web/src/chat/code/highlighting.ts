import { createCssVariablesTheme, createHighlighterCore, type HighlighterCore } from 'shiki/core';
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript';
import { type CodeLine, type CodeToken, TOKEN_NAMES } from './code-messages.ts';
import { GRAMMARS, type GrammarName, isGrammar } from './grammars.ts';

/** Longer lines stay plain. */
const MAX_LINE_LENGTH = 2_000;
/** Lines that are sent at once. */
const BATCH_LINES = 200;

type GrammarState = ReturnType<HighlighterCore['getLastGrammarState']>;

interface Document {
  language: string;
  /** The lines that are highlighted, and the state of the grammar after each. */
  lines: string[];
  states: (GrammarState | undefined)[];
  /** Counts the versions, so that work on an old one stops. */
  version: number;
}

const PREFIX = '--code-token-';

/** Highlights documents that grow or change: each version continues at the first line that differs. */
export class Highlighting {
  readonly #send: (id: number, from: number, lines: readonly CodeLine[]) => void;
  readonly #documents = new Map<number, Document>();
  readonly #loaded = new Map<GrammarName, Promise<void>>();
  #highlighter: Promise<HighlighterCore> | undefined;

  /** `send` is called with lines of a document as they are ready. */
  constructor(send: (id: number, from: number, lines: readonly CodeLine[]) => void) {
    this.#send = send;
  }

  /** Highlights a version of a document. An unknown language gives nothing. */
  async update(id: number, language: string, code: string): Promise<void> {
    if (!isGrammar(language)) return;
    const document = this.#documentOf(id, language);
    const version = ++document.version;
    this.#highlighter ??= createHighlighterCore({
      themes: [createCssVariablesTheme({ name: 'tokens', variablePrefix: '--code-', variableDefaults: {} })],
      langs: [],
      engine: createJavaScriptRegexEngine({ forgiving: true }),
    });
    const highlighter = await this.#highlighter;
    await this.#load(highlighter, language);
    const lines = code.split('\n');
    let from = 0;
    while (from < document.lines.length && from < lines.length && document.lines[from] === lines[from])
      from++;
    document.lines.length = from;
    document.states.length = from;
    while (from < lines.length && document.version === version) {
      const ready = lines
        .slice(from, from + BATCH_LINES)
        .map((line) => this.#line(highlighter, document, line));
      this.#send(id, from, ready);
      from += ready.length;
      // Lets newer requests in.
      await new Promise((resolve) => setTimeout(resolve));
    }
  }

  /** Forgets a document. */
  forget(id: number): void {
    const document = this.#documents.get(id);
    if (document !== undefined) document.version++;
    this.#documents.delete(id);
  }

  #documentOf(id: number, language: string): Document {
    const known = this.#documents.get(id);
    if (known?.language === language) return known;
    const document = { language, lines: [], states: [], version: (known?.version ?? 0) + 1 };
    if (known !== undefined) known.version++;
    this.#documents.set(id, document);
    return document;
  }

  async #load(highlighter: HighlighterCore, language: GrammarName): Promise<void> {
    let loading = this.#loaded.get(language);
    if (loading === undefined) {
      loading = GRAMMARS[language]().then((module) => highlighter.loadLanguage(module.default));
      this.#loaded.set(language, loading);
    }
    await loading;
  }

  #line(highlighter: HighlighterCore, document: Document, line: string): CodeLine {
    const grammarState = document.states.at(-1);
    document.lines.push(line);
    if (line.length > MAX_LINE_LENGTH && grammarState !== undefined) {
      document.states.push(grammarState);
      return [[line, 0]];
    }
    const tokens = highlighter.codeToTokensBase(line, {
      lang: document.language,
      theme: 'tokens',
      ...(grammarState === undefined ? {} : { grammarState }),
    });
    document.states.push(highlighter.getLastGrammarState(tokens));
    return (tokens[0] ?? []).map(({ content, color }): CodeToken => [content, colorIndex(color)]);
  }
}

function colorIndex(color: string | undefined): number {
  const at = color?.indexOf(PREFIX) ?? -1;
  if (color === undefined || at === -1) return 0;
  const name = color.slice(at + PREFIX.length).replace(/[,)].*$/, '');
  return Math.max(
    0,
    TOKEN_NAMES.findIndex((known) => known === name),
  );
}
