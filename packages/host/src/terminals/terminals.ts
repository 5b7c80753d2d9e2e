import {
  alreadyExists,
  conflict,
  hasExited,
  internalError,
  limitReached,
  notFound,
  sessionNotFound,
  type TerminalClaim,
  type TerminalState,
} from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import type { AgentTerminal, AgentTerminalStart } from '../agents/agent-terminal.ts';
import { steadyNow } from '../lib/clock.ts';
import type { Pty } from '../pty/pty.ts';
import type { Channel } from '../sync/channel.ts';
import type { Tx } from '../sync/tx.ts';
import { fileUriOf } from '../workspace/file-uri.ts';
import { AgentTerminals, type TerminalStarter } from './agents/agent-terminals.ts';
import { listed, listTerminal, unlistTerminals } from './catalogue.ts';
import { heldBy, isInUse, openClaim } from './claims.ts';
import { EndedTerminals, useOf } from './history/ended-terminals.ts';
import { OutputWriter } from './output/output-writer.ts';
import { TerminalRunner } from './output/terminal-runner.ts';
import { UnwatchedOutput } from './output/unwatched-output.ts';
import type { TerminalParts } from './parts.ts';
import { endUnloaded, LOST_EXIT_CODE } from './recovery/lost-terminals.ts';
import { type StoredTerminal, TerminalRecovery } from './recovery/recovery.ts';
import type { NewTerminal, TerminalService } from './service.ts';
import type { Launch } from './start/launch.ts';
import { TerminalPtys } from './start/terminal-ptys.ts';

/** Creates, lists, recovers and removes the terminals of a host. */
export class Terminals implements TerminalService, TerminalStarter {
  readonly #parts: TerminalParts;
  readonly #agents: AgentTerminals;
  readonly #ptys: TerminalPtys;
  readonly #runners = new Map<string, TerminalRunner>();
  /** URIs of terminals whose process is starting. */
  readonly #starting = new Set<string>();
  readonly #recovery: TerminalRecovery;
  readonly #unwatched: UnwatchedOutput;
  readonly #ended: EndedTerminals;
  #isOver = false;

  constructor(parts: TerminalParts) {
    this.#parts = parts;
    this.#agents = new AgentTerminals(parts, this);
    this.#ptys = new TerminalPtys(parts);
    this.#unwatched = new UnwatchedOutput(parts);
    this.#ended = new EndedTerminals(parts.sync);
    this.#recovery = new TerminalRecovery(parts, {
      attach: (terminal, pty) => this.#attach(terminal, pty).start(),
      discard: (pty) => this.#ptys.discard(pty),
    });
    parts.sync.registry.onLoaded((channel) => {
      if (!channel.is('terminal')) return;
      const runner = this.#runners.get(channel.uri);
      if (runner?.pty.id === channel.hostData.pty) runner.open(channel);
    });
  }

  async create(terminal: NewTerminal): Promise<void> {
    const { uri } = terminal;
    if (this.#isOver) throw internalError('The host is stopping');
    await this.checkFree(uri);
    this.#starting.add(uri);
    try {
      await this.#makeRoom();
      const { launch, pty } = await this.#ptys.start(terminal);
      try {
        // The URI may have been taken, or the session disposed of, during the start.
        await this.#checkSession(terminal);
        await this.#commit(terminal, launch, pty);
      } catch (error) {
        this.#ptys.discard(pty);
        throw error;
      }
    } finally {
      this.#starting.delete(uri);
    }
  }

  /** Rejects with `-32010` when a channel has this URI, or a terminal with it is starting. */
  async checkFree(uri: string): Promise<void> {
    const isTaken = this.#starting.has(uri) || (await this.#parts.sync.registry.open(uri)) !== undefined;
    if (isTaken || this.#starting.has(uri)) throw alreadyExists('channel', uri);
  }

  async dispose(uri: string): Promise<void> {
    const { sync } = this.#parts;
    const terminal = await sync.registry.openOf('terminal', uri);
    if (terminal?.isAlive !== true) throw notFound('terminal', uri);
    if (terminal.hostData.isHistory === true)
      throw conflict('This terminal was removed before; its output goes with the turn that shows it');
    await this.#removeKept('client', terminal);
  }

  async remove(uri: string): Promise<void> {
    const terminal = this.#parts.sync.registry.getOf('terminal', uri);
    if (terminal !== undefined) await this.#removeKept('host', terminal);
  }

  /** Removes a terminal, and keeps its output for the history of the turn that used it. */
  async #removeKept(cause: 'client' | 'host', terminal: Channel<'terminal'>): Promise<void> {
    const unpin = terminal.pin();
    try {
      const use = await this.#ended.useOf(terminal);
      if (!terminal.isAlive) return;
      this.#parts.sync.transact(cause, (tx) => {
        if (!terminal.isAlive) return;
        if (use !== undefined) this.#ended.keep(tx, terminal, use);
        this.#remove(tx, [terminal.uri]);
      });
    } finally {
      unpin();
    }
  }

  heldBy(session: string): readonly string[] {
    return heldBy(this.#parts.sync, session).map(({ resource }) => resource);
  }

  disposeHeldBy(tx: Tx, session: string): void {
    this.#remove(tx, this.heldBy(session));
  }

  startForAgent(
    owner: { readonly session: string; readonly chat: string; readonly workingDirectory: string },
    start: AgentTerminalStart,
  ): Promise<AgentTerminal> {
    return this.#agents.start(owner, start);
  }

  /** The runner of a terminal; `undefined` after its process has ended. */
  runner(uri: string): TerminalRunner | undefined {
    return this.#runners.get(uri);
  }

  /** The running terminals, with the id of the first process of each. */
  processes(): { readonly uri: string; readonly pid: number; readonly claim: TerminalClaim }[] {
    return listed(this.#parts.sync).flatMap(({ resource: uri, claim }) => {
      const runner = this.#runners.get(uri);
      return runner === undefined ? [] : [{ uri, pid: runner.pty.pid, claim }];
    });
  }

  /** At the limit, removes the oldest ended terminal of a session. Rejects with a conflict when there is none. */
  async #makeRoom(): Promise<void> {
    const { sync } = this.#parts;
    const maxTerminals = this.#parts.maxTerminals();
    while (listed(sync).length + this.#starting.size > maxTerminals) {
      const over = listed(sync).find((info) => hasExited(info) && isLeft(info.claim));
      if (over === undefined)
        throw limitReached(
          `This host has ${maxTerminals} terminals, its limit. Dispose of a terminal first.`,
          'terminals',
          maxTerminals,
        );
      // Loaded first: a client may be opening it.
      const terminal = await sync.registry.openOf('terminal', over.resource);
      if (!listed(sync).includes(over)) continue;
      if (terminal === undefined) sync.transact('client', (tx) => this.#remove(tx, [over.resource]));
      else await this.#removeKept('client', terminal);
    }
  }

  async #checkSession({ claim }: NewTerminal): Promise<void> {
    if (claim.kind !== 'session') return;
    const session = await this.#parts.sync.registry.openOf('session', claim.session);
    if (session?.isAlive !== true) throw sessionNotFound(claim.session);
  }

  /** Throws when its session was disposed of, or its URI was taken. */
  #checkNow({ uri, claim }: NewTerminal): void {
    if (this.#isOver) throw internalError('The host is stopping');
    const { registry } = this.#parts.sync;
    if (claim.kind === 'session' && registry.getOf('session', claim.session)?.isAlive !== true)
      throw sessionNotFound(claim.session);
    if (registry.get(uri) !== undefined) throw alreadyExists('channel', uri);
  }

  /**
   * Attaches to the open terminals whose processes outlived the previous host, and ends the others [CONN-8]. Loads none of them. Call it
   * at every start, before clients connect, so that no pty stays without a terminal. For `areAll` see `TerminalRecovery`.
   */
  async recover(terminals: readonly StoredTerminal[], areAll: boolean): Promise<void> {
    await this.#recovery.run(terminals, areAll);
    const running = [...this.#runners.values()].map(({ pty }) => pty.id);
    await this.#ptys.keepFolders(new Set([...running, ...this.#recovery.unreadPtys]));
  }

  /** Clients can connect from now on, and terminals without subscribers may load their output. */
  begin(): void {
    this.#unwatched.begin();
  }

  /** Whether the keeper of this terminal has not answered since the host started. */
  isAwaited(uri: string): boolean {
    return this.#recovery.isAwaited(uri);
  }

  /** Unloads the channels of running terminals that had no output since `before` (by `steadyNow`) and have no subscriber. */
  unloadIdle(before: number): void {
    if (this.#parts.sync.path.isHealthy) this.#unwatched.unloadIdle(before);
  }

  /** Unloads a channel without subscribers. */
  letGo(channel: Channel<'terminal'>): void {
    const { clock, unloadAfterMs, sync } = this.#parts;
    const runner = this.#runners.get(channel.uri);
    if (runner === undefined) sync.registry.unload(channel);
    else runner.letGo(steadyNow(clock) - unloadAfterMs);
  }

  /**
   * The host stops: writes the output that was read, ends the terminals whose processes end with the host, and releases all ptys. No
   * terminal starts after this.
   */
  async stop(): Promise<void> {
    const { owner, sync } = this.#parts;
    if (owner.outlivesHost !== true) await this.#loadWaiting();
    this.#isOver = true;
    this.#recovery.end();
    this.#unwatched.end();
    for (const [uri, runner] of this.#runners) {
      runner.flush();
      if (owner.outlivesHost === true) continue;
      this.#runners.delete(uri);
      const { hostData } = runner;
      runner.detach();
      this.#endLost({ uri, hostData });
    }
    // Output that was read must reach the journal, and clients, before the ptys are released.
    await sync.path.drain();
    for (const runner of this.#runners.values()) runner.detach();
    this.#runners.clear();
    await this.#ptys.close();
  }

  /** Loads the terminals whose output waits, so that the output gets into their channels. */
  async #loadWaiting(): Promise<void> {
    const { sync, log } = this.#parts;
    for (const { uri, isWaiting } of this.#runners.values()) {
      if (!isWaiting) continue;
      try {
        await sync.registry.load(uri);
      } catch (error) {
        log.error({ error, uri }, 'lost the last output of a terminal: its channel could not be loaded');
      }
    }
  }

  #endLost({ uri, hostData }: StoredTerminal): void {
    const { sync } = this.#parts;
    const terminal = sync.registry.getOf('terminal', uri);
    sync.transact('host', (tx) => {
      if (terminal === undefined) endUnloaded(tx, this.#parts, [{ uri, hostData }]);
      else if (terminal.isAlive && !hasExited(terminal.state))
        new OutputWriter(this.#parts, terminal).end(tx, LOST_EXIT_CODE);
    });
  }

  /** Resolves when the terminal is in the journal: a failed commit takes it back. */
  #commit(terminal: NewTerminal, launch: Launch, pty: Pty): Promise<void> {
    return this.#parts.sync.commit('client', (tx) => {
      this.#checkNow(terminal);
      this.#add(tx, terminal, launch, pty);
    });
  }

  #add(tx: Tx, { uri, claim, title, cwd, cols, rows }: NewTerminal, launch: Launch, pty: Pty): void {
    const { sync } = this.#parts;
    const state: TerminalState = {
      title: title ?? launch.title,
      cwd: fileUriOf(cwd),
      cols,
      rows,
      content: [],
      'x-trimmed': { units: 0, isFolded: false },
      lifecycle: { status: 'running' },
      isPty: true,
      claim: openClaim(sync, claim),
    };
    const usedBy = useOf(state);
    const hostData = {
      pty: pty.id,
      offset: 0,
      titledBy: title === undefined ? 'host' : 'somebody',
      defaultTitle: launch.title,
      ...defined({ nonce: launch.nonce, usedBy }),
    } as const;
    const channel = sync.registry.create(tx, { uri, kind: 'terminal', state, hostData }, sync.emittedSeq);
    tx.write({ op: 'markOpen', uri });
    listTerminal(tx, sync, channel);
    const runner = this.#attach({ uri, hostData: channel.hostData }, pty, { isNew: true });
    tx.undo(() => {
      runner.detach();
      this.#runners.delete(uri);
    });
    tx.effect(() => runner.start());
  }

  #attach({ uri, hostData }: StoredTerminal, pty: Pty, made: { isNew?: boolean } = {}): TerminalRunner {
    const channel = this.#parts.sync.registry.getOf('terminal', uri);
    const runner = new TerminalRunner(
      { ...this.#parts, unwatched: this.#unwatched },
      { uri, hostData: channel?.hostData ?? hostData, pty },
    );
    this.#runners.set(uri, runner);
    if (channel !== undefined) runner.open(channel, made);
    void runner.ended.then(() => {
      if (this.#runners.get(uri) === runner) this.#runners.delete(uri);
      this.#ptys.dropFolder(pty.id);
    });
    return runner;
  }

  /** */
  #remove(tx: Tx, uris: readonly string[]): void {
    const { sync, log } = this.#parts;
    for (const uri of uris) {
      const terminal = sync.registry.getOf('terminal', uri);
      if (terminal === undefined) sync.registry.disposeUnloaded(tx, uri);
      else sync.registry.dispose(tx, terminal);
      tx.effect(() => {
        const left = this.#recovery.removed(uri, terminal?.hostData);
        if (left !== undefined) this.#ptys.discard(left);
      });
      const runner = this.#runners.get(uri);
      if (runner === undefined) continue;
      tx.effect(() => {
        // Its URI is free again; the rest of its output is dropped.
        if (this.#runners.get(uri) === runner) this.#runners.delete(uri);
        runner.pty
          .kill({ forgets: true })
          .catch((error: unknown) => log.error({ error, uri }, 'could not end a terminal'));
      });
    }
    unlistTerminals(tx, sync, uris);
  }
}

const isLeft = (claim: TerminalClaim): boolean => claim.kind === 'session' && !isInUse(claim);
