import { pathToFileURL } from 'node:url';
import type { Mirror, SessionCatalogue } from '@agenthost/client';
import { channelUri, SessionStatus, type SessionSummary, type URI } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { oneLine } from '../../render/plain-text.ts';
import { type Environment, messageOf, tellFailure } from '../app/environment.ts';
import { type Frame, filled, hintLines, hintRows, ruleLine, type Size } from '../app/frame.ts';
import type { Screen, ScreenActions, Surroundings } from '../app/panel.ts';
import { type Editor, EMPTY_EDITOR, edited, insert, layoutEditor } from '../composer/editor.ts';
import type { KeyContext } from '../keys/bindings.ts';
import type { KeyEvent } from '../keys/key-event.ts';
import { type Line, line, span } from '../text/line.ts';
import { justified } from '../text/wrap.ts';
import { NewSessionPanel, type SessionWish } from './new-session.ts';
import { filterLine, noSessions, sessionRow, shownSessions } from './session-list.ts';
import { TextSearch } from './text-search.ts';

/** The list of all sessions. */
export class SessionsScreen implements Screen {
  readonly #env: Environment;
  readonly #catalogue: SessionCatalogue;
  readonly #root: Mirror<'root'>;
  readonly #actions: ScreenActions;
  readonly #search: TextSearch;
  #filter: Editor = EMPTY_EDITOR;
  #withArchived = false;
  #selected: URI | undefined;
  #making: NewSessionPanel | undefined;
  #confirm: { readonly question: string; yes(): void } | undefined;
  #page = 10;

  constructor(env: Environment, catalogue: SessionCatalogue, root: Mirror<'root'>, actions: ScreenActions) {
    this.#env = env;
    this.#catalogue = catalogue;
    this.#root = root;
    this.#actions = actions;
    this.#search = new TextSearch(env);
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
  select(session: URI): void {
    this.#selected = session;
  }

  /** Asks for a new session. */
  startNew(): void {
    const { agents, config } = this.#root.state;
    const provider = config?.values['defaultAgent'];
    this.#making = new NewSessionPanel(
      {
        agents,
        provider: typeof provider === 'string' ? provider : undefined,
        folder: this.#env.folder ?? '',
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
        if (current !== undefined) this.#actions.open(current.resource);
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
    const sessions = this.#sessions;
    const { text } = this.#filter;
    const filter = filterLine(oneLine(text, 200), {
      width: columns,
      shown: sessions.length,
      total: this.#catalogue.items.length,
      isLoading: this.#catalogue.isLoading,
    });
    const at = Math.max(
      0,
      sessions.findIndex(({ resource }) => resource === this.#current?.resource),
    );
    const top = Math.max(0, Math.min(at - Math.floor(height / 2), sessions.length - height));
    const list: Line[] = sessions.slice(top, top + height).map((session, index) =>
      sessionRow(session, {
        width: columns,
        now: this.#env.now(),
        home,
        marks,
        isSelected: top + index === at,
        snippet: this.#search.snippets.get(session.resource),
      }),
    );
    const shown =
      sessions.length === 0 && !this.#catalogue.isLoading ? noSessions(oneLine(text, 60), columns) : list;
    const column = layoutEditor(this.#filter, columns, 1).column;
    return {
      lines: [header, filter, ...filled(shown, height), ...bottom],
      cursor: { x: Math.min(columns - 1, 10 + column), y: 1 },
    };
  }

  dispose(): void {
    this.#search.dispose();
  }

  get #hostName(): string {
    const info = this.#env.client.host?.serverInfo;
    return info === undefined ? '' : oneLine(`${info.name} ${info.version ?? ''}`, 40);
  }

  get #sessions(): SessionSummary[] {
    const { snippets } = this.#search;
    return shownSessions(this.#catalogue.items, {
      filter: this.#filter.text.trim(),
      withArchived: this.#withArchived,
      found: new Set(snippets.keys()),
    });
  }

  get #current(): SessionSummary | undefined {
    const sessions = this.#sessions;
    return sessions.find(({ resource }) => resource === this.#selected) ?? sessions[0];
  }

  #move(by: number): void {
    const sessions = this.#sessions;
    const at = Math.max(
      0,
      sessions.findIndex(({ resource }) => resource === this.#current?.resource),
    );
    this.#selected = sessions[Math.max(0, Math.min(sessions.length - 1, at + by))]?.resource;
  }

  #setFilter(filter: Editor): void {
    this.#filter = filter;
    this.#selected = undefined;
    this.#search.look(filter.text.trim());
  }

  #archive({ resource, status }: SessionSummary): void {
    const isArchived = (status & SessionStatus.IsArchived) === 0;
    const { client } = this.#env;
    tellFailure(
      this.#env,
      'not archived',
      client.dispatch(resource, { type: 'session/isArchivedChanged', isArchived }),
    );
  }

  #remove({ resource, title }: SessionSummary): void {
    this.#confirm = {
      question: `Remove “${oneLine(title, 60) || '(no title)'}” with all its chats, for everyone?`,
      yes: () => tellFailure(this.#env, 'not removed', this.#env.client.sessions.dispose(resource)),
    };
  }

  #create({ provider, folder }: SessionWish): void {
    this.#making = undefined;
    const channel = channelUri('session', crypto.randomUUID());
    this.#env.client
      .request('createSession', {
        channel,
        ...defined({ provider }),
        ...(folder === '' ? {} : { workingDirectories: [pathToFileURL(folder).href] }),
      })
      .then(
        () => this.#actions.open(channel),
        (error: unknown) => this.#env.notice(`no session: ${messageOf(error)}`, 'problem'),
      );
  }
}
