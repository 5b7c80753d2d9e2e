import { isWithinScope, type URI } from '@agenthost/protocol';
import { oneLine } from '../../render/plain-text.ts';
import type { Marks } from '../../render/screen.ts';
import { type Conditions, commandOf, hintsOf, type KeyContext } from '../keys/bindings.ts';
import type { KeyEvent } from '../keys/key-event.ts';
import { Room } from '../room/room.ts';
import { SessionsScreen } from '../sessions/sessions-screen.ts';
import { line } from '../text/line.ts';
import { CHAT_VIEW } from '../transcript/transcript.ts';
import type { ChatHost, ChatHostParts } from './chat-host.ts';
import { type Environment, messageOf, type Tone } from './environment.ts';
import {
  type Frame,
  filled,
  fitted,
  helpLines,
  hintLines,
  ruleLine,
  type Size,
  statusLine,
  windowed,
} from './frame.ts';
import type { Screen, ScreenActions } from './panel.ts';

const NOTICE_MS = 8_000;
const TICK_MS = 1_000;
const LEAVE_AGAIN = 'press Ctrl-C again to leave; sessions continue';

/** Options of the chat program, and its first host. */
export interface ChatAppOptions extends ChatHostParts {
  readonly marks: Marks;
  readonly home: string;
  /** Model for messages, where the agent has it. */
  readonly model: string | undefined;
  /** Ends the program. */
  leave(): void;
  copy(text: string): void;
}

/** The whole program without its window: keys go in, frames come out. */
export class ChatApp {
  readonly #options: ChatAppOptions;
  readonly #own: ChatHost;
  #hosts: readonly ChatHost[];
  readonly #sessions: SessionsScreen;
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #listeners = new Set<() => void>();
  readonly #stopStatus = new Set<() => void>();
  #room: Room | undefined;
  /** The host of the room. */
  #roomHost: ChatHost | undefined;
  /** The session list covers the room. */
  #isListing = true;
  #help: { readonly context: KeyContext; row: number } | undefined;
  #notice: { readonly text: string; readonly tone: Tone } | undefined;
  #cancelNotice: (() => void) | undefined;
  #opening: URI | undefined;
  /** The hint "press again to leave" was visible at the last key. */
  #wasWarned = false;
  readonly #losses = new Map<ChatHost, { readonly isLost: boolean; readonly cancelTick?: () => void }>();

  constructor(options: ChatAppOptions) {
    this.#options = options;
    this.#own = this.#makeHost(options);
    this.#hosts = [this.#own];
    this.#sessions = new SessionsScreen(() => this.#hosts, {
      back: () => this.#actions.back(),
      open: (session, host) => this.#openFrom(session, host),
    });
  }

  /** Adds the sessions of another host to the list. */
  addHost(parts: ChatHostParts): void {
    this.#hosts = [...this.#hosts, this.#makeHost(parts)];
    this.#changed();
  }

  /** Shows a notice in the status line. */
  notice(text: string, tone?: Tone): void {
    this.#tell(text, tone);
  }

  #makeHost({ client, root, address, name = address, folder, showTerminal }: ChatHostParts): ChatHost {
    const { marks, home, model, copy } = this.#options;
    const env: Environment = {
      client,
      marks,
      home,
      folder,
      model,
      agents: () => root.state.agents,
      now: () => Date.now(),
      later: (delayMs, callback) => this.#later(delayMs, callback),
      changed: () => this.#changed(),
      notice: (text, tone) => this.#tell(text, tone),
      copy,
      showTerminal: (uri) => {
        showTerminal(uri).catch((error: unknown) => this.#tell(`terminal: ${messageOf(error)}`, 'problem'));
      },
    };
    const catalogue = client.sessions.catalogue({ includeArchived: true });
    let told: Error | undefined;
    catalogue.onChange(() => {
      const { problem } = catalogue;
      if (problem !== undefined && problem !== told) env.notice(`sessions: ${messageOf(problem)}`, 'problem');
      told = problem;
      this.#changed();
    });
    const host: ChatHost = { name, address, env, root, catalogue };
    this.#stopStatus.add(client.onStatus(() => this.#watchConnection(host)));
    this.#stopStatus.add(client.onNotification('x-rolesChanged', () => this.#changed()));
    return host;
  }

  /** Calls `listener` when another frame may show. The result removes it. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Opens a session. `host`: default the first one. */
  async open(session: URI, host: ChatHost = this.#own): Promise<void> {
    this.#opening = session;
    this.#changed();
    try {
      const handle = await host.env.client.sessions.open(session, CHAT_VIEW);
      if (this.#opening !== session) return handle.dispose();
      this.#room?.dispose();
      this.#room = new Room(host.env, handle, {
        ...this.#actions,
        open: (other) => this.#openFrom(other, host),
      });
      this.#roomHost = host;
      this.#isListing = false;
      this.#sessions.select(session, host);
    } catch (error) {
      this.#tell(`cannot open the session: ${messageOf(error)}`, 'problem');
    } finally {
      // The user may have opened another session meanwhile.
      if (this.#opening === session) this.#opening = undefined;
      this.#changed();
    }
  }

  /** Opens the form for a new session. */
  startNew(): void {
    this.#sessions.startNew();
    this.#changed();
  }

  /** Takes a key. */
  key(event: KeyEvent): void {
    const conditions = this.#conditions();
    const key = 'key' in event ? event.key : event.text;
    const command = commandOf(this.#context, key, conditions);
    if (this.#isArriving && command !== 'leave') {
      // Keys typed now are meant for the session that opens; Esc cancels the opening.
      if (key === 'esc') this.#opening = undefined;
      return this.#changed();
    }
    this.#wasWarned = this.#notice?.text === LEAVE_AGAIN;
    if (this.#wasWarned) this.#notice = undefined;
    if (command === 'leave') {
      // The list shows this key as a hint. In a session it clears the message, and a user may press it once too often.
      if (key === 'ctrl-c' && !this.#isInList) return this.#leaveOrWarn();
      return this.#options.leave();
    }
    if (this.#help !== undefined) this.#runInHelp(command);
    else if (command === 'help') this.#help = { context: this.#context, row: 0 };
    else if (command === undefined) this.#screen.type?.(event);
    else this.#screen.run(command);
    this.#changed();
  }

  /** Takes pasted text. */
  paste(text: string): void {
    if (this.#help === undefined && !this.#isArriving) this.#screen.paste?.(text);
    this.#changed();
  }

  /** The current frame. Every window size is valid. */
  frame(size: Size): Frame {
    const { address, env } = this.#shownHost;
    const around = {
      status: statusLine(env.client.status, {
        width: size.columns,
        address,
        notice: this.#notice,
        isObserving: this.#isObserving,
        opening: this.#opening !== undefined,
        now: env.now(),
      }),
      hints: hintsOf(this.#context, this.#conditions()),
      marks: this.#options.marks,
      home: this.#options.home,
    };
    if (this.#help === undefined) return this.#screen.frame(size, around);
    const { columns, rows } = size;
    const all = helpLines(columns - 2, this.#help.context);
    const height = Math.max(1, rows - 4);
    const top = Math.min(this.#help.row, Math.max(0, all.length - height));
    this.#help.row = top;
    const { lines } = windowed(all.slice(top), height, 0);
    return {
      lines: [
        fitted('Keys', columns, { bold: true }),
        ...filled(lines, height),
        ruleLine(
          line(`${top + 1} to ${Math.min(all.length, top + height)} of ${all.length}`, { dim: true }),
          columns,
        ),
        ...hintLines(around.hints, columns, 1),
        around.status,
      ],
    };
  }

  /** Ends everything but the clients. */
  dispose(): void {
    this.#listeners.clear();
    this.#opening = undefined;
    for (const stop of this.#stopStatus) stop();
    for (const { catalogue } of this.#hosts) catalogue.dispose();
    this.#sessions.dispose();
    this.#room?.dispose();
    for (const timer of this.#timers) clearTimeout(timer);
  }

  readonly #actions: ScreenActions = {
    leave: () => this.#leaveOrWarn(),
    open: (session) => this.#openFrom(session, this.#own),
    back: () => {
      if (this.#isListing && this.#room !== undefined) this.#isListing = false;
      else this.#isListing = true;
    },
    gone: (session) => {
      if (this.#room?.session.uri !== session) return;
      this.#room.dispose();
      this.#room = undefined;
      this.#roomHost = undefined;
      this.#isListing = true;
      this.#tell('the session was removed', 'problem');
    },
  };

  /** Opens a session of a host, or goes back to it. */
  #openFrom(session: URI, host: ChatHost): void {
    if (this.#room?.session.uri === session && this.#roomHost === host) this.#isListing = false;
    else void this.open(session, host);
  }

  /** Whether the token may only look: in the open session, or in the list on the host. */
  get #isObserving(): boolean {
    const { client } = this.#shownHost.env;
    if (this.#room === undefined || this.#isListing) return client.scope === 'observe';
    return !isWithinScope(client.rights.scopeIn(this.#room.session.uri) ?? 'admin', 'interact');
  }

  /** The host whose connection the status line is about. */
  get #shownHost(): ChatHost {
    return this.#isListing ? this.#own : (this.#roomHost ?? this.#own);
  }

  get #isInList(): boolean {
    return this.#isListing || this.#room === undefined;
  }

  get #screen(): Screen {
    return this.#isListing || this.#room === undefined ? this.#sessions : this.#room;
  }

  /** The list is visible, and a session is opening. */
  get #isArriving(): boolean {
    return this.#opening !== undefined && this.#isInList && this.#help === undefined;
  }

  get #context(): KeyContext {
    return this.#help === undefined ? this.#screen.context : 'help';
  }

  #conditions(): Conditions {
    return new Set(this.#screen.conditions());
  }

  /** Leaves if the previous key showed the hint, else shows it. */
  #leaveOrWarn(): void {
    if (this.#wasWarned) this.#options.leave();
    else this.#tell(LEAVE_AGAIN);
  }

  #runInHelp(command: string | undefined): void {
    if (this.#help === undefined) return;
    const steps: Readonly<Record<string, number>> = { up: -1, down: 1, pageUp: -15, pageDown: 15 };
    if (command === 'back') this.#help = undefined;
    else this.#help.row = Math.max(0, this.#help.row + (steps[command ?? ''] ?? 0));
  }

  /** Shows a countdown to the next connection attempt, and a notice when the connection is back. */
  #watchConnection(host: ChatHost): void {
    const { state } = host.env.client.status;
    const { cancelTick, isLost: wasLost } = this.#losses.get(host) ?? { isLost: false };
    const which = host === this.#own ? 'the host' : host.name;
    if (state === 'online' && wasLost) this.#tell(`reconnected to ${which}`);
    const isLost = state !== 'online';
    if (isLost && !wasLost && host !== this.#own) this.#tell(`lost the connection to ${which}`, 'problem');
    cancelTick?.();
    this.#losses.set(host, {
      isLost,
      ...(isLost ? { cancelTick: this.#later(TICK_MS, () => this.#watchConnection(host)) } : {}),
    });
    this.#changed();
  }

  #tell(text: string, tone: Tone = 'info'): void {
    this.#notice = { text: oneLine(text, 500), tone };
    this.#cancelNotice?.();
    this.#cancelNotice = this.#later(NOTICE_MS, () => {
      this.#notice = undefined;
      this.#changed();
    });
    this.#changed();
  }

  #later(delayMs: number, callback: () => void): () => void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      callback();
      this.#changed();
    }, delayMs);
    this.#timers.add(timer);
    return () => {
      this.#timers.delete(timer);
      clearTimeout(timer);
    };
  }

  #changed(): void {
    for (const listener of Array.from(this.#listeners)) listener();
  }
}
