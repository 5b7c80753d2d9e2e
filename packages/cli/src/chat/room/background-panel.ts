import type { ChatHandle } from '@agenthost/client';
import type { BackgroundWork, URI } from '@agenthost/protocol';
import { cutToCells, oneLine } from '../../render/plain-text.ts';
import { ago } from '../../render/session-line.ts';
import { type Environment, tellFailure } from '../app/environment.ts';
import type { OverlayLines, OverlayPanel } from '../app/panel.ts';
import type { KeyContext } from '../keys/bindings.ts';
import { type Line, line, span } from '../text/line.ts';
import { justified } from '../text/wrap.ts';

/** Actions of the list of background work. */
export interface BackgroundActions {
  /** Shows the chat of a worker. */
  open(chat: URI): void;
  close(): void;
}

/** The shells and workers that a chat runs in the background [CHAT-46]. */
export class BackgroundPanel implements OverlayPanel {
  readonly context: KeyContext = 'background';
  readonly title = 'In the background';
  readonly #env: Environment;
  readonly #chat: ChatHandle;
  readonly #actions: BackgroundActions;
  #selected = 0;

  constructor(env: Environment, chat: ChatHandle, actions: BackgroundActions) {
    this.#env = env;
    this.#chat = chat;
    this.#actions = actions;
  }

  conditions(): readonly string[] {
    const work = this.#current;
    return work === undefined ? [] : ['hasWork', ...(placeOf(work) === undefined ? [] : ['canOpen'])];
  }

  lines(width: number): OverlayLines {
    const all = this.#chat.backgroundWork;
    if (all.length === 0)
      return { lines: [line('Nothing runs in the background.', { dim: true })], focus: 0 };
    const current = this.#current;
    const lines = all.map((work): Line => {
      const isAt = work === current;
      const what = work.kind === 'shell' ? `$ ${work.command}` : work.label;
      return justified(
        [
          span(isAt ? '▸ ' : '  '),
          ...line(cutToCells(oneLine(what, 500), width), isAt ? { inverse: true } : {}),
        ],
        [span(ago(work.startedAt, this.#env.now()).padStart(8), { dim: true })],
        width,
      );
    });
    return { lines, focus: current === undefined ? 0 : all.indexOf(current) };
  }

  run(command: string): void {
    const work = this.#current;
    switch (command) {
      case 'up':
        this.#selected = Math.max(0, this.#selected - 1);
        return;
      case 'down':
        this.#selected = Math.min(Math.max(0, this.#chat.backgroundWork.length - 1), this.#selected + 1);
        return;
      case 'end':
        if (work !== undefined) tellFailure(this.#env, 'not ended', this.#chat.endBackgroundWork(work.id));
        return;
      case 'open':
        if (work?.kind === 'subagent') this.#actions.open(work.chat);
        else if (work?.terminal !== undefined) this.#env.showTerminal(work.terminal);
        return;
      case 'back':
        return this.#actions.close();
      default:
    }
  }

  /** The selected entry; entries may end while the panel is open. */
  get #current(): BackgroundWork | undefined {
    const all = this.#chat.backgroundWork;
    return all[Math.min(this.#selected, all.length - 1)];
  }
}

const placeOf = (work: BackgroundWork): URI | undefined =>
  work.kind === 'subagent' ? work.chat : work.terminal;
