import type { McpServers, SessionHandle } from '@agenthost/client';
import {
  type ChildCustomization,
  type Customization,
  decisionsAbout,
  isEnabled,
  type McpServerInfo,
  type SessionState,
  withDecision,
} from '@agenthost/protocol';
import { cutToCells, oneLine } from '../../render/plain-text.ts';
import { type Environment, messageOf, tellFailure } from '../app/environment.ts';
import type { OverlayLines, OverlayPanel } from '../app/panel.ts';
import type { KeyContext } from '../keys/bindings.ts';
import { type Line, line, span } from '../text/line.ts';
import { justified } from '../text/wrap.ts';

/** One row: a customization with the container that it is in, if any. */
interface Row {
  readonly item: Customization | ChildCustomization;
  readonly container: Customization | undefined;
}

/** The parts of a session and its host that the panel uses. */
export interface CustomizationsPort extends Pick<SessionHandle, 'uri' | 'toggleCustomization'> {
  readonly mirror: {
    readonly state: Pick<SessionState, 'customizations'>;
    onChange(listener: () => void): () => void;
  };
}

type Servers = Pick<McpServers, 'list' | 'decide' | 'start' | 'stop'>;

/** What the panel asks of the window. */
export interface CustomizationsActions {
  /** The MCP servers of the host. */
  openServers(): Promise<Servers>;
  close(): void;
}

const TYPES: Readonly<Record<Row['item']['type'], string>> = {
  plugin: 'plugin',
  directory: 'folder',
  agent: 'agent',
  skill: 'skill',
  prompt: 'prompt',
  rule: 'rule',
  hook: 'hook',
  mcpServer: 'MCP server',
};

/** The customizations and MCP servers of a session: their states, and decisions of this session about them [CUST-21] [MCP-1]. */
export class CustomizationsPanel implements OverlayPanel {
  readonly context: KeyContext = 'customizations';
  readonly title = 'Customizations and MCP servers';
  readonly #env: Environment;
  readonly #session: CustomizationsPort;
  readonly #actions: CustomizationsActions;
  readonly #stop: () => void;
  #servers: Promise<Servers> | undefined;
  /** What the host tells of its servers besides their state, by id. */
  #known: ReadonlyMap<string, McpServerInfo> = new Map();
  #shown: unknown;
  #selected = 0;
  #isDisposed = false;

  constructor(env: Environment, session: CustomizationsPort, actions: CustomizationsActions) {
    this.#env = env;
    this.#session = session;
    this.#actions = actions;
    this.#stop = session.mirror.onChange(() => {
      if (session.mirror.state.customizations !== this.#shown) void this.#look();
    });
    void this.#look();
  }

  conditions(): readonly string[] {
    const { item } = this.#current ?? {};
    if (item === undefined) return [];
    if (item.type !== 'mcpServer') return ['isItem'];
    const { source, decision } = this.#known.get(item.id) ?? {};
    const isAsked = source === 'project' || source === 'plugin';
    return [
      'isItem',
      ...(isAsked && decision !== 'allowed' ? ['canAllow'] : []),
      ...(isAsked && decision !== 'refused' ? ['canRefuse'] : []),
      item.state.kind === 'stopped' || item.state.kind === 'error' ? 'canStart' : 'canStop',
    ];
  }

  lines(width: number): OverlayLines {
    const rows = this.#rows;
    if (rows.length === 0) return { lines: [line('The session has none.', { dim: true })], focus: 0 };
    const current = this.#current;
    const lines: Line[] = [];
    let focus = 0;
    for (const row of rows) {
      const isAt = row.item === current?.item;
      if (isAt) focus = lines.length;
      lines.push(this.#line(row, isAt, width));
      if (isAt) lines.push(...this.#details(row, width));
    }
    return { lines, focus };
  }

  run(command: string): void {
    const row = this.#current;
    switch (command) {
      case 'up':
        this.#selected = Math.max(0, this.#at - 1);
        return;
      case 'down':
        this.#selected = Math.min(Math.max(0, this.#rows.length - 1), this.#at + 1);
        return;
      case 'toggle':
      case 'reset':
        if (row !== undefined) this.#decide(row, command === 'toggle' ? !isEnabled(row.item) : undefined);
        return;
      case 'allow':
      case 'refuse':
        return this.#withServers(row, `${command} failed`, async (servers, id) => {
          const seen = this.#known.get(id);
          if (seen !== undefined)
            await servers.decide(this.#session.uri, seen, command === 'allow' ? 'allowed' : 'refused');
        });
      case 'start':
      case 'stop':
        return this.#withServers(row, `not ${command === 'start' ? 'started' : 'stopped'}`, (servers, id) =>
          servers[command](this.#session.uri, id),
        );
      case 'back':
        return this.#actions.close();
      default:
    }
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#stop();
  }

  get #rows(): Row[] {
    return (this.#session.mirror.state.customizations ?? []).flatMap((container) => [
      { item: container, container: undefined },
      ...('children' in container ? (container.children ?? []) : []).map((item) => ({ item, container })),
    ]);
  }

  /** Entries may go while the panel is open. */
  get #at(): number {
    return Math.min(this.#selected, this.#rows.length - 1);
  }

  get #current(): Row | undefined {
    return this.#rows[this.#at];
  }

  #line({ item, container }: Row, isAt: boolean, width: number): Line {
    const isOn = isEnabled(item);
    const inEffect = isOn && (container === undefined || isEnabled(container));
    const by = decisionsAbout(item)[0]?.kind;
    const where = by === undefined ? '' : by === 'global' ? ' (everywhere)' : ` (${by})`;
    const load = 'load' in item ? item.load?.kind : undefined;
    const fault = load === 'degraded' || load === 'error' ? load : undefined;
    const state = item.type === 'mcpServer' && inEffect ? this.#serverState(item) : inEffect ? 'on' : 'off';
    const isTrouble =
      fault !== undefined || state === 'error' || state === 'asks' || state === 'needs sign-in';
    const shown = `${fault === undefined ? '' : `${fault}, `}${state}${where}`;
    const name = cutToCells(oneLine(`${TYPES[item.type]} ${item.name}`, 200), Math.max(8, width - 30));
    return justified(
      [
        span(isAt ? '▸ ' : '  '),
        ...(container === undefined ? [] : [span('  ')]),
        ...line(name, isAt ? { inverse: true } : inEffect ? {} : { dim: true }),
      ],
      [span(shown, isTrouble ? { color: 'yellow' } : { dim: true })],
      width,
    );
  }

  #serverState(item: Extract<Row['item'], { type: 'mcpServer' }>): string {
    const { source, decision } = this.#known.get(item.id) ?? {};
    if (source !== undefined && source !== 'host' && decision !== 'allowed')
      return decision === 'refused' ? 'refused' : 'asks';
    return item.state.kind === 'authRequired' ? 'needs sign-in' : item.state.kind;
  }

  /** What people need to decide about the selected row: what it is, what it runs, and its faults. */
  #details({ item }: Row, width: number): Line[] {
    const told = item.type === 'hook' ? item._meta?.['agenthost.hook'] : undefined;
    const commands: readonly unknown[] =
      typeof told === 'object' && told !== null && 'commands' in told && Array.isArray(told.commands)
        ? told.commands
        : [];
    const texts = [
      'description' in item ? item.description : undefined,
      this.#known.get(item.id)?.runs,
      ...commands,
      ...('load' in item &&
      item.load !== undefined &&
      'message' in item.load &&
      item.load.message !== undefined
        ? item.load.message.split('\n')
        : []),
      item.type === 'mcpServer' && item.state.kind === 'error' ? item.state.error.message : undefined,
    ];
    return texts.flatMap((text) =>
      typeof text === 'string' && text !== ''
        ? [line(`      ${cutToCells(oneLine(text, 500), Math.max(8, width - 6))}`, { dim: true })]
        : [],
    );
  }

  #decide({ item }: Row, enabled: boolean | undefined): void {
    const decisions = withDecision(decisionsAbout(item), { level: 'session', enabled });
    tellFailure(this.#env, 'not decided', this.#session.toggleCustomization(item.id, decisions));
  }

  #withServers(
    row: Row | undefined,
    what: string,
    ask: (servers: Servers, id: string) => Promise<unknown>,
  ): void {
    if (row?.item.type !== 'mcpServer') return;
    const { id } = row.item;
    const asked = this.#open().then((servers) => ask(servers, id));
    tellFailure(this.#env, what, asked);
    asked.then(
      () => this.#look(),
      () => undefined,
    );
  }

  #open(): Promise<Servers> {
    this.#servers ??= this.#actions.openServers();
    return this.#servers;
  }

  /** Asks what the host knows of its servers. Without servers nothing is asked. */
  async #look(): Promise<void> {
    this.#shown = this.#session.mirror.state.customizations;
    if (!this.#rows.some(({ item }) => item.type === 'mcpServer')) return;
    try {
      const list = await (await this.#open()).list(this.#session.uri);
      if (this.#isDisposed) return;
      this.#known = new Map(list.map((each) => [each.id, each]));
      this.#env.changed();
    } catch (error) {
      if (!this.#isDisposed) this.#env.notice(`MCP servers are not listed: ${messageOf(error)}`, 'problem');
    }
  }
}
