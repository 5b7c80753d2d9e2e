import { pathToFileURL } from 'node:url';
import { channelUri, SessionStatus, type SessionSummary, type URI } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { oneLine } from '../../render/plain-text.ts';
import type { ChatHost } from '../app/chat-host.ts';
import { messageOf, tellFailure } from '../app/environment.ts';
import { type Frame, filled, hintLines, hintRows, ruleLine, type Size } from '../app/frame.ts';
import type { Screen, Surroundings } from '../app/panel.ts';
import { type Editor, EMPTY_EDITOR, edited, insert, layoutEditor } from '../composer/editor.ts';
import type { KeyContext } from '../keys/bindings.ts';
import type { KeyEvent } from '../keys/key-event.ts';
import { type Line, line, span } from '../text/line.ts';
import { justified } from '../text/wrap.ts';
import { NewSessionPanel, type SessionWish } from './new-session.ts';
import { filterLine, noSessions, sessionRow, shownSessions } from './session-list.ts';
import { TextSearch } from './text-search.ts';

/** Requests of the list to the program. */
export interface ListActions {
  /** To the screen before. */
  back(): void;
  /** Opens a session of a host. */
  open(session: URI, host: ChatHost): void;
}

/** A session of the list. */
interface Entry {
  readonly session: SessionSummary;
  readonly host: ChatHost;
}

/** The list of all sessions of all hosts. The first host gets new sessions. */
export class SessionsScreen implements Screen {
  readonly #hosts: () => readonly ChatHost[];
  readonly #actions: ListActions;
  readonly #searches = new Map<ChatHost, TextSearch>();
  #filter: Editor = EMPTY_EDITOR;
  #withArchived = false;
  #selected: { readonly session: URI; readonly host: ChatHost } | undefined;
  #making: NewSessionPanel | undefined;
  #confirm: { readonly question: string; yes(): void } | undefined;
  #page = 10;

  constructor(hosts: () => readonly ChatHost[], actions: ListActions) {
    this.#hosts = hosts;
    this.#actions = actions;
  }

  get context(): KeyContext {
    if (this.#confirm !== undefined) return 'confirm';
    return this.#making === undefined ? 'sessions' : 'newSession';
  }

  conditions(): readonly string[] {
    if (this.#making !== undefined) return this.#making.conditions();
    return [this.#filter.text === '' ? 'isEmpty' : '', this.#current === undefined ? '' : 'hasSelection'];
  }

  /** Puts the cursor on a session. */
  select(session: URI, host: ChatHost): void {
    this.#selected = { session, host };
  }

  /** Asks for a new session. */
  startNew(): void {
    const { root, env } = this.#own;
    const { agents, config } = root.state;
    const provider = config?.values['defaultAgent'];
    this.#making = new NewSessionPanel(
      {
        agents,
        provider: typeof provider === 'string' ? provider : undefined,
        folder: env.folder ?? '',
      },
      (wish) => this.#create(wish),
      () => {
        this.#making = undefined;
      },
    );
  }

  run(command: string): void {
    if (this.#confirm !== undefined) {
      const { yes } = this.#confirm;
      this.#confirm = undefined;
      if (command === 'yes') yes();
      return;
    }
    if (this.#making !== undefined) return this.#making.run(command);
    const current = this.#current;
    switch (command) {
      case 'up':
        return this.#move(-1);
      case 'down':
        return this.#move(1);
      case 'pageUp':
        return this.#move(-this.#page);
      case 'pageDown':
        return this.#move(this.#page);
      case 'new':
        return this.startNew();
      case 'open':
        if (current !== undefined) this.#actions.open(current.session.resource, current.host);
        return;
      case 'archive':
        if (current !== undefined) this.#archive(current);
        return;
      case 'remove':
        if (current !== undefined) this.#remove(current);
        return;
      case 'toggleArchived':
        this.#withArchived = !this.#withArchived;
        return;
      case 'back':
        if (this.#filter.text === '') this.#actions.back();
        else this.#setFilter(EMPTY_EDITOR);
        return;
      default:
    }
  }

  type(event: KeyEvent): void {
    if (this.#confirm !== undefined) return;
    if (this.#making !== undefined) return this.#making.type(event);
    const next = 'text' in event ? insert(this.#filter, event.text) : edited(this.#filter, event.key);
    if (next !== undefined) this.#setFilter(next);
  }

  paste(text: string): void {
    if (this.#making !== undefined) this.#making.paste(text);
    else if (this.#confirm === undefined) this.#setFilter(insert(this.#filter, text.replace(/\s+/g, ' ')));
  }

  frame({ columns, rows }: Size, { status, hints, marks, home }: Surroundings): Frame {
    const bottom = [ruleLine([], columns), ...hintLines(hints, columns, hintRows(rows)), status];
    const height = Math.max(1, rows - bottom.length - 2);
    const header = justified(
      [span('agenthost', { bold: true }), span('  sessions', { dim: true })],
      line(this.#hostName, { dim: true }),
      columns,
    );
    if (this.#confirm !== undefined) {
      return {
        lines: [
          header,
          ...filled([ruleLine([], columns), line(`  ${this.#confirm.question}`, { bold: true })], height + 1),
          ...bottom,
        ],
      };
    }
    if (this.#making !== undefined) {
      const { lines, cursor } = this.#making.lines(columns);
      const frame = [header, ...filled([ruleLine([], columns), ...lines], height + 1), ...bottom];
      return cursor === undefined
        ? { lines: frame }
        : { lines: frame, cursor: { x: cursor.x, y: cursor.y + 2 } };
    }
    this.#page = Math.max(1, height - 1);
    const entries = this.#entries;
    const hosts = this.#hosts();
    const { text } = this.#filter;
    const filter = filterLine(oneLine(text, 200), {
      width: columns,
      shown: entries.length,
      total: hosts.reduce((sum, { catalogue }) => sum + catalogue.items.length, 0),
      isLoading: this.#isLoading,
    });
    const at = this.#positionIn(entries);
    const top = Math.max(0, Math.min(at - Math.floor(height / 2), entries.length - height));
    const list: Line[] = entries.slice(top, top + height).map(({ session, host }, index) =>
      sessionRow(session, {
        width: columns,
        now: host.env.now(),
        home,
        marks,
        isSelected: top + index === at,
        snippet: this.#searches.get(host)?.snippets.get(session.resource),
        ...(hosts.length > 1 ? { host: host.name } : {}),
      }),
    );
    const shown = entries.length === 0 && !this.#isLoading ? noSessions(oneLine(text, 60), columns) : list;
    const column = layoutEditor(this.#filter, columns, 1).column;
    return {
      lines: [header, filter, ...filled(shown, height), ...bottom],
      cursor: { x: Math.min(columns - 1, 10 + column), y: 1 },
    };
  }

  dispose(): void {
    for (const search of this.#searches.values()) search.dispose();
  }

  /** The host of the command. There is always one. */
  get #own(): ChatHost {
    const [own] = this.#hosts();
    if (own === undefined) throw new Error('the list has no host');
    return own;
  }

  get #hostName(): string {
    const info = this.#own.env.client.host?.serverInfo;
    return info === undefined ? '' : oneLine(`${info.name} ${info.version ?? ''}`, 40);
  }

  get #isLoading(): boolean {
    return this.#hosts().some(({ catalogue }) => catalogue.isLoading);
  }

  get #entries(): Entry[] {
    const hosts = this.#hosts();
    const hostOf = new Map<SessionSummary, ChatHost>();
    for (const host of hosts) for (const session of host.catalogue.items) hostOf.set(session, host);
    const found = [...this.#searches.values()].flatMap(({ snippets }) => [...snippets.keys()]);
    const sessions = shownSessions(hostOf.keys(), {
      filter: this.#filter.text.trim(),
      withArchived: this.#withArchived,
      found: new Set(found),
      ...(hosts.length > 1 ? { hostOf: (session) => hostOf.get(session)?.name ?? '' } : {}),
    });
    return sessions.flatMap((session) => {
      const host = hostOf.get(session);
      return host === undefined ? [] : [{ session, host }];
    });
  }

  /** Position of the selected session, or of the first. */
  #positionIn(entries: readonly Entry[]): number {
    const selected = this.#selected;
    return Math.max(
      0,
      entries.findIndex(
        ({ session, host }) => session.resource === selected?.session && host === selected.host,
      ),
    );
  }

  get #current(): Entry | undefined {
    const entries = this.#entries;
    return entries[this.#positionIn(entries)];
  }

  #move(by: number): void {
    const entries = this.#entries;
    const next = entries[Math.max(0, Math.min(entries.length - 1, this.#positionIn(entries) + by))];
    this.#selected = next === undefined ? undefined : { session: next.session.resource, host: next.host };
  }

  #setFilter(filter: Editor): void {
    this.#filter = filter;
    this.#selected = undefined;
    for (const host of this.#hosts()) {
      const search = this.#searches.get(host) ?? new TextSearch(host.env);
      this.#searches.set(host, search);
      search.look(filter.text.trim());
    }
  }

  #archive({ session: { resource, status }, host: { env } }: Entry): void {
    const isArchived = (status & SessionStatus.IsArchived) === 0;
    tellFailure(
      env,
      'not archived',
      env.client.dispatch(resource, { type: 'session/isArchivedChanged', isArchived }),
    );
  }

  #remove({ session: { resource, title }, host: { env } }: Entry): void {
    this.#confirm = {
      question: `Remove “${oneLine(title, 60) || '(no title)'}” with all its chats, for everyone?`,
      yes: () => tellFailure(env, 'not removed', env.client.sessions.dispose(resource)),
    };
  }

  #create({ provider, folder }: SessionWish): void {
    this.#making = undefined;
    const channel = channelUri('session', crypto.randomUUID());
    const own = this.#own;
    own.env.client
      .request('createSession', {
        channel,
        ...defined({ provider }),
        ...(folder === '' ? {} : { workingDirectories: [pathToFileURL(folder).href] }),
      })
      .then(
        () => this.#actions.open(channel, own),
        (error: unknown) => own.env.notice(`no session: ${messageOf(error)}`, 'problem'),
      );
  }
}
