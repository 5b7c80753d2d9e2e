import {
  alreadyExists,
  conflict,
  internalError,
  invalidParams,
  notFound,
  sessionNotFound,
  type TerminalClaim,
  type TerminalState,
} from '@agenthost/protocol';
import type { AgentTerminal, AgentTerminalStart } from '../agents/agent-terminal.ts';
import { type Pty, PtyError } from '../pty/pty.ts';
import type { Channel } from '../sync/channel.ts';
import { JournalUnavailable } from '../sync/commit-path.ts';
import { fileUriOf } from '../workspace/file-uri.ts';
import { AgentTerminals, type TerminalStarter } from './agent-terminals.ts';
import { listed, listTerminal, unlistTerminals } from './catalogue.ts';
import { heldBy, isInUse, openClaim } from './claims.ts';
import { type Launch, launchOf } from './launch.ts';
import { OutputWriter } from './output-writer.ts';
import type { TerminalParts } from './parts.ts';
import type { NewTerminal, TerminalService } from './service.ts';
import { ShellFolders } from './shell-folders.ts';
import { TerminalRunner } from './terminal-runner.ts';

/** As if it had been hung up on: 128 + SIGHUP. */
const LOST_EXIT_CODE = 129;

/** The terminals of a host, and the ptys of those that run. */
export class Terminals implements TerminalService, TerminalStarter {
  readonly #parts: TerminalParts;
  readonly #agents: AgentTerminals;
  readonly #folders: ShellFolders;
  readonly #runners = new Map<string, TerminalRunner>();
  /** URIs of terminals whose process is being started. */
  readonly #starting = new Set<string>();
  /** By id, ptys that may belong to terminals that could not be read at the start. */
  readonly #left = new Map<string, Pty>();
  #isOver = false;

  constructor(parts: TerminalParts) {
    this.#parts = parts;
    this.#agents = new AgentTerminals(parts, this);
    this.#folders = new ShellFolders(parts.settings.shellFolder);
  }

  async create(terminal: NewTerminal): Promise<void> {
    const { uri } = terminal;
    if (this.#isOver) throw internalError('The host is stopping');
    await this.checkFree(uri);
    this.#starting.add(uri);
    try {
      await this.#makeRoom();
      const { launch, pty } = await this.#spawn(terminal);
      try {
        // Both may have come or gone while it started. What is checked last, nothing can come in between.
        await this.#checkSession(terminal);
        await this.#commit(terminal, launch, pty);
      } catch (error) {
        this.#discard(pty);
        throw error;
      }
    } finally {
      this.#starting.delete(uri);
    }
  }

  /** Rejects with `-32010` when something has this URI, or is about to. */
  async checkFree(uri: string): Promise<void> {
    const isTaken = this.#starting.has(uri) || (await this.#parts.sync.registry.open(uri)) !== undefined;
    if (isTaken || this.#starting.has(uri)) throw alreadyExists('channel', uri);
  }

  async dispose(uri: string): Promise<void> {
    const { sync } = this.#parts;
    const terminal = await sync.registry.openOf('terminal', uri);
    if (terminal?.isAlive !== true) throw notFound('terminal', uri);
    sync.path.transact('client', () => this.#remove([uri]));
  }

  remove(uri: string): void {
    const { sync } = this.#parts;
    sync.path.transact('host', () => {
      if (sync.registry.getOf('terminal', uri) !== undefined) this.#remove([uri]);
    });
  }

  heldBy(session: string): readonly string[] {
    return heldBy(this.#parts.sync, session).map(({ resource }) => resource);
  }

  disposeHeldBy(session: string): void {
    this.#remove(this.heldBy(session));
  }

  startForAgent(
    owner: { readonly session: string; readonly workingDirectory: string },
    start: AgentTerminalStart,
  ): Promise<AgentTerminal> {
    return this.#agents.start(owner, start);
  }

  /** What runs in a terminal; `undefined` once it has ended. */
  runner(uri: string): TerminalRunner | undefined {
    return this.#runners.get(uri);
  }

  /** What agents and commands have left behind makes room, or nobody would get a terminal any more in the end. */
  async #makeRoom(): Promise<void> {
    const { sync } = this.#parts;
    const maxTerminals = this.#parts.maxTerminals();
    while (listed(sync).length + this.#starting.size > maxTerminals) {
      const over = listed(sync).find(({ claim, exitCode }) => exitCode !== undefined && isLeft(claim));
      if (over === undefined)
        throw conflict(`This host has ${maxTerminals} terminals, the most it takes: dispose of one first`);
      // In memory, it can be removed under the eyes of those who are just opening it.
      await sync.registry.open(over.resource);
      if (listed(sync).includes(over)) sync.path.transact('client', () => this.#remove([over.resource]));
    }
  }

  async #checkSession({ claim }: NewTerminal): Promise<void> {
    if (claim.kind !== 'session') return;
    const session = await this.#parts.sync.registry.openOf('session', claim.session);
    if (session?.isAlive !== true) throw sessionNotFound(claim.session);
  }

  /** Throws when its session has just gone, or its URI has just been taken. */
  #checkNow({ uri, claim }: NewTerminal): void {
    const { registry } = this.#parts.sync;
    if (claim.kind === 'session' && registry.getOf('session', claim.session)?.isAlive !== true)
      throw sessionNotFound(claim.session);
    if (registry.get(uri) !== undefined) throw alreadyExists('channel', uri);
  }

  /**
   * Goes on with those of the open terminals whose processes outlived the host that started them, and ends the others [CONN-8]. Before
   * anybody is let in; always called, so that no pty is left that nothing shows. Unless `areAll`, a pty that none of them
   * has may be that of one that cannot be read: it is left running, for the next start.
   */
  async recover(terminals: readonly Channel<'terminal'>[], areAll: boolean): Promise<void> {
    const { sync, log } = this.#parts;
    const ptys = new Map((await this.#adopt()).map((pty) => [pty.id, pty]));
    for (const terminal of terminals) {
      const { uri } = terminal;
      const pty = ptys.get(terminal.local.pty);
      if (pty === undefined) {
        sync.path.transact('host', () => new OutputWriter(this.#parts, terminal).end(LOST_EXIT_CODE));
        log.info({ uri }, 'a terminal went with the host that ran it');
        continue;
      }
      ptys.delete(pty.id);
      this.#attach(terminal, pty).start();
    }
    if (areAll) for (const pty of ptys.values()) this.#discard(pty);
    else this.#leave([...ptys.values()]);
    const running = [...this.#runners.values()].map(({ pty }) => pty.id);
    await this.#folders.keepOnly(new Set([...running, ...this.#left.keys()]));
  }

  #leave(ptys: readonly Pty[]): void {
    if (ptys.length === 0) return;
    for (const pty of ptys) this.#left.set(pty.id, pty);
    this.#parts.log.warn(
      { ptys: ptys.map(({ id, pid }) => ({ id, pid })) },
      'left programs running that no terminal shows: they may be those of one that cannot be read',
    );
  }

  /**
   * The host stops: what was read goes into the channels, and terminals whose processes go with it end visibly. To be called
   * again after a while, for those that came meanwhile.
   */
  end(): void {
    const { sync, owner } = this.#parts;
    this.#isOver = true;
    for (const [uri, runner] of this.#runners) {
      runner.flush();
      if (owner.outlivesHost === true) continue;
      this.#runners.delete(uri);
      runner.detach();
      const terminal = sync.registry.getOf('terminal', uri);
      if (terminal === undefined) continue;
      sync.path.transact('host', () => {
        if (terminal.isAlive && terminal.state.exitCode === undefined)
          new OutputWriter(this.#parts, terminal).end(LOST_EXIT_CODE);
      });
    }
  }

  /** Lets go of all ptys; the journal is drained before. */
  async close(): Promise<void> {
    this.#isOver = true;
    for (const runner of this.#runners.values()) runner.detach();
    this.#runners.clear();
    this.#parts.floods?.end();
    await this.#parts.owner.close();
    await this.#folders.close();
  }

  async #adopt(): Promise<readonly Pty[]> {
    try {
      return await this.#parts.owner.adopt();
    } catch (error) {
      this.#parts.log.error({ error }, 'the terminals of the host before this one cannot be reached');
      return [];
    }
  }

  async #spawn(terminal: NewTerminal): Promise<{ launch: Launch; pty: Pty }> {
    const { ids, owner, settings, log } = this.#parts;
    const { cwd, cols, rows } = terminal;
    const id = ids.next();
    try {
      const launch = await launchOf({ settings, folders: this.#folders, log }, terminal, id);
      const { command, env } = launch;
      return { launch, pty: await owner.spawn({ id, command, env, cwd, cols, rows }) };
    } catch (error) {
      this.#dropFolder(id);
      if (!(error instanceof PtyError)) throw error;
      // Whoever named the program can name another one.
      if (terminal.command === undefined) throw internalError(error.message, error);
      throw invalidParams(error.message);
    }
  }

  /** Resolves when it is in the journal: nobody is to wait for what runs in a terminal that is taken back. */
  #commit(terminal: NewTerminal, launch: Launch, pty: Pty): Promise<void> {
    const { path } = this.#parts.sync;
    return new Promise((resolve, reject) => {
      let isBegun = false;
      path.transact('client', () => {
        isBegun = true;
        this.#checkNow(terminal);
        path.undo(() => reject(new JournalUnavailable(path.trouble)));
        this.#add(terminal, launch, pty);
        path.effect(resolve);
      });
      if (!isBegun) reject(internalError('The host is stopping'));
    });
  }

  #add({ uri, claim, title, cwd, cols, rows }: NewTerminal, launch: Launch, pty: Pty): void {
    const { sync } = this.#parts;
    const state: TerminalState = {
      title: title ?? launch.title,
      cwd: fileUriOf(cwd),
      cols,
      rows,
      content: [],
      'x-trimmed': { units: 0, isFolded: false },
      claim: openClaim(sync, claim),
    };
    const local = {
      pty: pty.id,
      offset: 0,
      titledBy: title === undefined ? 'host' : 'somebody',
      defaultTitle: launch.title,
      ...(launch.nonce === undefined ? {} : { nonce: launch.nonce }),
    } as const;
    const channel = sync.registry.create({ uri, kind: 'terminal', state, local }, sync.emittedSeq);
    sync.path.write({ op: 'markOpen', uri });
    listTerminal(sync, channel);
    const runner = this.#attach(channel, pty);
    sync.path.undo(() => {
      runner.detach();
      this.#runners.delete(uri);
    });
    sync.path.effect(() => runner.start());
  }

  #attach(channel: Channel<'terminal'>, pty: Pty): TerminalRunner {
    const runner = new TerminalRunner(this.#parts, channel, pty);
    this.#runners.set(channel.uri, runner);
    void runner.ended.then(() => {
      if (this.#runners.get(channel.uri) === runner) this.#runners.delete(channel.uri);
      this.#dropFolder(pty.id);
    });
    return runner;
  }

  /** Inside `path.transact` only. */
  #remove(uris: readonly string[]): void {
    const { sync, log } = this.#parts;
    for (const uri of uris) {
      const terminal = sync.registry.getOf('terminal', uri);
      if (terminal === undefined) sync.path.write({ op: 'dropChannel', uri });
      else sync.registry.dispose(terminal);
      const left = terminal === undefined ? undefined : this.#left.get(terminal.local.pty);
      if (left !== undefined) {
        sync.path.effect(() => {
          if (this.#left.delete(left.id)) this.#discard(left);
        });
      }
      const runner = this.#runners.get(uri);
      if (runner === undefined) continue;
      sync.path.effect(() => {
        // Its URI is free again; what it still puts out nobody gets.
        if (this.#runners.get(uri) === runner) this.#runners.delete(uri);
        runner.pty
          .kill({ forgets: true })
          .catch((error: unknown) => log.error({ error, uri }, 'a terminal could not be ended'));
      });
    }
    unlistTerminals(sync, uris);
  }

  /** Ends a pty that no channel will ever show. */
  #discard(pty: Pty): void {
    this.#dropFolder(pty.id);
    pty
      .kill({ forgets: true })
      .then(() => pty.release())
      .catch((error: unknown) => this.#parts.log.error({ error, pty: pty.id }, 'a pty could not be ended'));
  }

  #dropFolder(pty: string): void {
    this.#folders
      .drop(pty)
      .catch((error: unknown) =>
        this.#parts.log.warn({ error, pty }, "a shell's files could not be removed"),
      );
  }
}

const isLeft = (claim: TerminalClaim): boolean => claim.kind === 'session' && !isInUse(claim);
