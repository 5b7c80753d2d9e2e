import type { AgentInfo } from '@agenthost/protocol';
import { oneLine } from '../../render/plain-text.ts';
import type { Panel } from '../app/panel.ts';
import { type Editor, edited, editorOf, insert, layoutEditor } from '../composer/editor.ts';
import type { KeyContext } from '../keys/bindings.ts';
import type { KeyEvent } from '../keys/key-event.ts';
import { EMPTY_LINE, type Line, line, span } from '../text/line.ts';
import { cutLine } from '../text/wrap.ts';

/** Options of a new session. */
export interface SessionWish {
  /** Absent: the host's default. */
  readonly provider: string | undefined;
  /** A path; '' leaves it to the host. */
  readonly folder: string;
}

/** Asks for what a new session needs: an agent and a folder. */
export class NewSessionPanel implements Panel {
  readonly context: KeyContext = 'newSession';
  readonly #agents: readonly AgentInfo[];
  readonly #create: (wish: SessionWish) => void;
  readonly #close: () => void;
  #agent = 0;
  #folder: Editor;
  #isAtFolder = false;

  constructor(
    {
      agents,
      provider,
      folder,
    }: { agents: readonly AgentInfo[]; provider: string | undefined; folder: string },
    create: (wish: SessionWish) => void,
    close: () => void,
  ) {
    this.#agents = agents;
    this.#create = create;
    this.#close = close;
    this.#folder = editorOf(folder);
    this.#agent = Math.max(
      0,
      agents.findIndex((agent) => agent.provider === provider),
    );
  }

  conditions(): readonly string[] {
    return this.#isAtFolder ? [] : ['isChoosing'];
  }

  run(command: string): void {
    switch (command) {
      case 'create':
        return this.#create({
          provider: this.#agents[this.#agent]?.provider,
          folder: this.#folder.text.trim(),
        });
      case 'up':
      case 'down':
        this.#agent = Math.max(
          0,
          Math.min(this.#agents.length - 1, this.#agent + (command === 'up' ? -1 : 1)),
        );
        return;
      case 'next':
        this.#isAtFolder = !this.#isAtFolder;
        return;
      case 'back':
        return this.#close();
      default:
    }
  }

  type(event: KeyEvent): void {
    this.#isAtFolder = true;
    this.#folder =
      'text' in event ? insert(this.#folder, event.text) : (edited(this.#folder, event.key) ?? this.#folder);
  }

  paste(text: string): void {
    this.#isAtFolder = true;
    this.#folder = insert(this.#folder, text.replace(/[\r\n]+/g, ''));
  }

  lines(width: number): { lines: Line[]; cursor: { x: number; y: number } | undefined } {
    const label = '  Folder: ';
    const layout = layoutEditor(this.#folder, width - label.length, 1);
    const agents = this.#agents.map(({ provider, displayName, description }, index): Line => {
      const isAt = index === this.#agent;
      const name = oneLine(displayName) || oneLine(provider);
      return cutLine(
        [
          span(isAt ? '  ▸ ' : '    '),
          span(name, isAt ? { inverse: true } : {}),
          span(`  ${oneLine(description)}`, { dim: true }),
        ],
        width,
      );
    });
    const lines = [
      line('  New session', { bold: true }),
      EMPTY_LINE,
      ...agents,
      EMPTY_LINE,
      [span(label, { bold: true }), ...(layout.lines[0] ?? [])],
    ];
    return {
      lines,
      cursor: this.#isAtFolder ? { x: label.length + layout.column, y: lines.length - 1 } : undefined,
    };
  }
}
