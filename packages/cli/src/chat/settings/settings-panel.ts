import type { SessionHandle } from '@agenthost/client';
import { ROOT_URI } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { readValue } from '../../input/settings.ts';
import { oneLine } from '../../render/plain-text.ts';
import { type Environment, messageOf, tellFailure } from '../app/environment.ts';
import type { OverlayLines, OverlayPanel } from '../app/panel.ts';
import { type Editor, EMPTY_EDITOR, edited, editorOf, insert, movedByLine } from '../composer/editor.ts';
import type { KeyContext } from '../keys/bindings.ts';
import type { KeyEvent } from '../keys/key-event.ts';
import {
  type Choice,
  choiceRows,
  foundChoices,
  matching,
  type Setting,
  settingRows,
  settingsOf,
  textRows,
} from './settings.ts';

/** The host is asked for choices after so long without a key. */
const SEARCH_DELAY_MS = 150;

/** The chat whose messages get a model. */
export interface ModelHolder {
  readonly model: string | undefined;
  chooseModel(id: string): void;
}

type Editing =
  | {
      readonly kind: 'choice';
      readonly setting: Setting;
      filter: Editor;
      choices: readonly Choice[];
      at: number;
    }
  | { readonly kind: 'text'; readonly setting: Setting; editor: Editor };

/** Shows and changes what may be set: the model of the next messages, and the session's config for every client. */
export class SettingsPanel implements OverlayPanel {
  readonly #env: Environment;
  readonly #session: SessionHandle;
  readonly #holder: () => ModelHolder;
  readonly #close: () => void;
  #at = 0;
  #editing: Editing | undefined;
  #cancelSearch: (() => void) | undefined;

  constructor(env: Environment, session: SessionHandle, holder: () => ModelHolder, close: () => void) {
    this.#env = env;
    this.#session = session;
    this.#holder = holder;
    this.#close = close;
  }

  get context(): KeyContext {
    if (this.#editing === undefined) return 'settings';
    return this.#editing.kind === 'choice' ? 'settingChoice' : 'settingText';
  }

  get title(): string {
    return this.#editing === undefined
      ? 'Settings of this session'
      : oneLine(this.#editing.setting.title, 60);
  }

  conditions(): readonly string[] {
    return this.#settings[this.#at]?.input.kind === 'fixed' ? [] : ['isMutable'];
  }

  lines(width: number): OverlayLines {
    const editing = this.#editing;
    if (editing === undefined) return settingRows(this.#settings, this.#at, width);
    if (editing.kind === 'text') return textRows(editing.setting, editing.editor, width);
    return choiceRows(editing.setting, { ...editing, selected: editing.at }, width);
  }

  run(command: string): void {
    const editing = this.#editing;
    switch (command) {
      case 'up':
      case 'down':
        return this.#move(command === 'up' ? -1 : 1);
      case 'change':
        return this.#begin(this.#settings[this.#at]);
      case 'choose':
        return editing?.kind === 'choice' ? this.#choose(editing) : undefined;
      case 'save':
        return editing?.kind === 'text' ? this.#save(editing) : undefined;
      case 'newline':
        return this.paste('\n');
      case 'back':
        if (editing === undefined) return this.#close();
        return this.#end();
      default:
    }
  }

  type(event: KeyEvent): void {
    const editing = this.#editing;
    if (editing === undefined) return;
    const before = editing.kind === 'choice' ? editing.filter : editing.editor;
    this.#edit('text' in event ? insert(before, event.text) : (edited(before, event.key) ?? before));
  }

  paste(text: string): void {
    const editing = this.#editing;
    if (editing === undefined) return;
    const typed = text.replace(/\r\n?/g, '\n');
    if (editing.kind === 'text') this.#edit(insert(editing.editor, typed));
    else this.#edit(insert(editing.filter, typed.replaceAll('\n', ' ')));
  }

  /**
   * Begins to change the setting with this key, or the model (`undefined`). A `text` that is a value is set at once; another one filters the choices.
   * 'none': there is no such setting, or it cannot be changed.
   */
  goTo(key: string | undefined, text: string): 'none' | 'set' | 'shown' {
    const at = this.#settings.findIndex((setting) => setting.key === key);
    const setting = this.#settings[at];
    if (setting === undefined || setting.input.kind === 'fixed') return 'none';
    this.#at = at;
    this.#begin(setting);
    const editing = this.#editing;
    if (text === '' || editing === undefined) return 'shown';
    if (editing.kind === 'text') {
      editing.editor = editorOf(text);
      this.#save(editing);
    } else {
      const exact = editing.choices.find(({ value, label }) => String(value) === text || label === text);
      if (exact === undefined) this.#edit(editorOf(text));
      else this.#choose({ ...editing, choices: [exact], at: 0 });
    }
    return this.#editing === undefined ? 'set' : 'shown';
  }

  dispose(): void {
    this.#cancelSearch?.();
  }

  get #settings(): Setting[] {
    const { provider, config } = this.#session.mirror.state;
    const models = this.#env.agents().find((agent) => agent.provider === provider)?.models ?? [];
    return settingsOf({ models, model: this.#holder().model, config });
  }

  #move(by: -1 | 1): void {
    const editing = this.#editing;
    if (editing === undefined) this.#at = within(this.#at + by, this.#settings.length);
    else if (editing.kind === 'choice') editing.at = within(editing.at + by, editing.choices.length);
    else editing.editor = movedByLine(editing.editor, by) ?? editing.editor;
  }

  #begin(setting: Setting | undefined): void {
    if (setting === undefined || setting.input.kind === 'fixed') return;
    const { input } = setting;
    if (input.kind === 'text') {
      this.#editing = { kind: 'text', setting, editor: editorOf(input.text) };
      return;
    }
    const at = Math.max(
      0,
      input.choices.findIndex(({ value }) => value === setting.value),
    );
    this.#editing = { kind: 'choice', setting, filter: EMPTY_EDITOR, choices: input.choices, at };
    if (input.isSearched) this.#search(this.#editing);
  }

  #end(): void {
    this.#cancelSearch?.();
    this.#editing = undefined;
  }

  #edit(next: Editor): void {
    const editing = this.#editing;
    if (editing?.kind === 'text') editing.editor = next;
    if (editing?.kind !== 'choice') return;
    const isSame = editing.filter.text === next.text;
    editing.filter = next;
    if (isSame || editing.setting.input.kind !== 'choice') return;
    editing.at = 0;
    editing.choices = matching(editing.setting.input.choices, next.text);
    if (editing.setting.input.isSearched) this.#search(editing);
  }

  /** Asks the host for what it finds by the filter [ROOT-4]. */
  #search(editing: Extract<Editing, { kind: 'choice' }>): void {
    this.#cancelSearch?.();
    const query = editing.filter.text;
    const { provider, workingDirectories, config } = this.#session.mirror.state;
    this.#cancelSearch = this.#env.later(SEARCH_DELAY_MS, () => {
      const asked = this.#env.client.request('sessionConfigCompletions', {
        channel: ROOT_URI,
        provider,
        ...defined({ workingDirectory: workingDirectories?.[0] }),
        ...defined({ config: config?.values }),
        property: editing.setting.key ?? '',
        query,
      });
      asked.then(
        ({ items }) => {
          if (this.#editing !== editing || editing.filter.text !== query) return;
          editing.choices = foundChoices(items);
          editing.at = within(editing.at, items.length);
          this.#env.changed();
        },
        (error: unknown) => this.#env.notice(`no choices: ${messageOf(error)}`, 'problem'),
      );
    });
  }

  #choose({ setting, choices, at }: Extract<Editing, { kind: 'choice' }>): void {
    const chosen = choices[at];
    if (chosen === undefined) return;
    this.#end();
    this.#set(setting, chosen.value);
  }

  #save({ setting, editor }: Extract<Editing, { kind: 'text' }>): void {
    if (setting.key === undefined) {
      this.#end();
      if (editor.text.trim() !== '') this.#set(setting, editor.text.trim());
      return;
    }
    const { config } = this.#session.mirror.state;
    if (config === undefined) return this.#end();
    try {
      const value = readValue(config.schema, setting.key, editor.text);
      this.#end();
      this.#set(setting, value);
    } catch (error) {
      this.#env.notice(messageOf(error), 'problem');
    }
  }

  #set({ key }: Setting, value: unknown): void {
    if (key === undefined) this.#holder().chooseModel(String(value));
    else tellFailure(this.#env, 'not changed', this.#session.configure({ [key]: value }));
  }
}

const within = (at: number, count: number): number => Math.max(0, Math.min(count - 1, at));
