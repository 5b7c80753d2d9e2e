import type { ChatHandle } from '@agenthost/client';
import type { ChatState, PendingMessage } from '@agenthost/protocol';
import { byPerson } from '../../render/by-person.ts';
import { oneLine } from '../../render/plain-text.ts';
import { waitingText } from '../../render/session-line.ts';
import { steerWaiting } from '../../run/queued-messages.ts';
import { type Environment, tellFailure } from '../app/environment.ts';
import type { Panel } from '../app/panel.ts';
import type { KeyContext } from '../keys/bindings.ts';
import { type Line, line, span } from '../text/line.ts';
import { cutLine } from '../text/wrap.ts';

/** A message that waits, and for what. */
export interface Waiting {
  readonly kind: 'steering' | 'queued';
  readonly pending: PendingMessage;
}

/** All that waits in a chat, the next one first. */
export function waitingIn({ steeringMessage, queuedMessages = [] }: ChatState): Waiting[] {
  const queued = queuedMessages.map((pending): Waiting => ({ kind: 'queued', pending }));
  return steeringMessage === undefined ? queued : [{ kind: 'steering', pending: steeringMessage }, ...queued];
}

/** The queue's ids with one of them a place earlier or later. */
export function reordered(ids: readonly string[], id: string, by: -1 | 1): string[] {
  const from = ids.indexOf(id);
  const to = from + by;
  if (from < 0 || to < 0 || to >= ids.length) return [...ids];
  const order = ids.filter((other) => other !== id);
  order.splice(to, 0, id);
  return order;
}

/** The messages that wait as lines, the selected one in sight. */
export function queueLines(
  waiting: readonly Waiting[],
  options: { width: number; height: number; selected: string | undefined; isIdle: boolean },
): Line[] {
  const { width, height, selected, isIdle } = options;
  if (waiting.length === 0 || height <= 0) return [];
  const at = Math.max(
    0,
    waiting.findIndex(({ pending }) => pending.id === selected),
  );
  const shown = Math.min(waiting.length, Math.max(1, height - 1));
  const first = Math.max(0, Math.min(at - shown + 1, waiting.length - shown));
  const held = isIdle ? ', held' : '';
  const head = line(`${waitingText(waiting.length)}${held}`, { dim: true });
  const rows = waiting.slice(first, first + shown).map(({ kind, pending }, index): Line => {
    const isAt = pending.id === selected;
    const label =
      kind === 'steering' ? 'steers' : `${first + index + (waiting[0]?.kind === 'steering' ? 0 : 1)}.`;
    const text = `${oneLine(pending.message.text, 500)}${byPerson(pending['x-by'])}`;
    return cutLine(
      [span(`${isAt ? '▸' : ' '} ${label} `, { color: 'yellow' }), span(text, isAt ? { inverse: true } : {})],
      width,
    );
  });
  return height === 1 ? rows.slice(0, 1) : [head, ...rows];
}

/** Changes the messages that wait. */
export class QueuePanel implements Panel {
  readonly context: KeyContext = 'queue';
  readonly #env: Environment;
  readonly #chat: ChatHandle;
  readonly #edit: (waiting: Waiting) => void;
  #selected: string | undefined;

  constructor(env: Environment, chat: ChatHandle, edit: (waiting: Waiting) => void) {
    this.#env = env;
    this.#chat = chat;
    this.#edit = edit;
  }

  /** The message under the cursor; the first one when that is gone. */
  get current(): Waiting | undefined {
    const waiting = waitingIn(this.#chat.mirror.state);
    return waiting.find(({ pending }) => pending.id === this.#selected) ?? waiting[0];
  }

  conditions(): readonly string[] {
    const isIdle = this.#chat.mirror.state.activeTurn === undefined;
    const isQueued = this.current?.kind === 'queued';
    return [isIdle ? 'isIdle' : '', isQueued ? 'isQueued' : '', isQueued && !isIdle ? 'canSteer' : ''];
  }

  run(command: string): void {
    const { current } = this;
    const { state } = this.#chat.mirror;
    const waiting = waitingIn(state);
    if (current === undefined) return;
    const { id } = current.pending;
    const at = waiting.findIndex(({ pending }) => pending.id === id);
    const ids = (state.queuedMessages ?? []).map((queued) => queued.id);
    switch (command) {
      case 'up':
      case 'down': {
        const to = at + (command === 'up' ? -1 : 1);
        this.#selected = waiting[Math.max(0, Math.min(to, waiting.length - 1))]?.pending.id;
        return;
      }
      case 'edit':
        return this.#edit(current);
      case 'remove': {
        this.#selected = (waiting[at + 1] ?? waiting[at - 1])?.pending.id;
        return tellFailure(this.#env, 'not removed', this.#chat.queue.remove(id));
      }
      case 'earlier':
      case 'later':
        this.#selected = id;
        return this.#reorder(reordered(ids, id, command === 'earlier' ? -1 : 1));
      case 'steer':
        return tellFailure(this.#env, 'not steered', steerWaiting(this.#chat.queue, current.pending));
      case 'release':
        return tellFailure(this.#env, 'not released', this.#chat.queue.release());
      default:
    }
  }

  #reorder(order: readonly string[]): void {
    tellFailure(this.#env, 'not reordered', this.#chat.queue.reorder(order));
  }
}
