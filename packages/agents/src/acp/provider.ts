import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import {
  type AgentAvailability,
  AgentError,
  type AgentProvider,
  type AgentSession,
  type ChildRegistry,
  type CompleteConfig,
  markedEnvironment,
  type OpenAgentSession,
  type ResolvedConfig,
} from '@agenthost/host/agent';
import type { AgentInfo, SessionConfigValueItem, SessionModelInfo } from '@agenthost/protocol';
import { defined, errorText, sameJson } from '@agenthost/protocol/values';
import type { ToolServer } from './client-tools/tool-server.ts';
import type { AcpAgentConfig } from './config/config.ts';
import type { AgentSessionConfig } from './config/session-config.ts';
import { objectOf } from './json.ts';
import { AgentProcess } from './process/agent-process.ts';
import type { AgentTraits } from './process/agent-traits.ts';
import { findCommand, identityOf, packageVersionOf, runVersion } from './process/command-path.ts';
import type { AcpConnection } from './process/connection.ts';
import { ConnectionPool } from './process/connection-pool.ts';
import { agentEnvironment } from './process/environment.ts';
import { DEFAULT_MAX_LINE_BYTES } from './process/message-stream.ts';
import { type AcpLog, type AcpTimers, processTimers } from './runtime.ts';
import type { AcpSessionContext } from './session/session-context.ts';

/** Dependencies and time limits of a provider. Only `childRegistry` has no default. */
export interface AcpProviderOptions {
  /** Records running processes, so that they do not outlive a killed host. */
  readonly childRegistry: ChildRegistry;
  /** Log. Default: nothing is logged. */
  readonly log?: AcpLog;
  /** Timers. Default: those of the process. */
  readonly timers?: AcpTimers;
  /** The host's environment; commands are looked up on its PATH. Default: `process.env`. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /**
   * Absolute path of an executable that the host itself installed. Used instead of the agent's `command` while it exists. Default: none.
   */
  readonly ownCommand?: string;
  /** Time until an unused process is stopped, in milliseconds. Default 600,000 (10 minutes). */
  readonly idleMs?: number;
  /** Time limit for an agent's start, in milliseconds. Default 60,000. */
  readonly startTimeoutMs?: number;
  /** Time between TERM and KILL, in milliseconds. Default 5,000. */
  readonly killGraceMs?: number;
  /** Longest line accepted from an agent, in bytes. Default 32 MiB. */
  readonly maxLineBytes?: number;
}

/** A provider with an addition for the command line. */
export interface AcpProvider extends AgentProvider {
  /** Whether its command exists now. Looks at the file system and starts nothing. */
  isInstalled(): boolean;
}

/**
 * Creates a provider for one agent that speaks the Agent Client Protocol. Nothing is started before the first
 * session is opened. Models and config are known from then on; `onInfoChanged` reports them.
 */
export function createAcpProvider(agent: AcpAgentConfig, options: AcpProviderOptions): AcpProvider {
  return new Provider(agent, options);
}

/** Directory of a process that serves many folders: the home directory. */
function sharedFolder(home: string | undefined): string {
  return [home, homedir()].find((folder) => folder !== undefined && existsSync(folder)) ?? '/';
}

class Provider implements AcpProvider {
  readonly id: string;
  readonly readsFolders: readonly string[];
  readonly #agent: AcpAgentConfig;
  readonly #options: AcpProviderOptions;
  readonly #environment: Readonly<Record<string, string | undefined>>;
  readonly #log: AcpLog;
  readonly #timers: AcpTimers;
  readonly #pool: ConnectionPool;
  readonly #listeners = new Set<() => void>();
  /** Processes that have not ended, including those whose connection is closed. */
  readonly #processes = new Set<AgentProcess>();
  #toolServer: Promise<ToolServer> | undefined;
  #models: readonly SessionModelInfo[] = [];
  /** Whether the agent, when it last started, took more than one working directory. */
  #takesDirectories = false;
  #config: ResolvedConfig = { schema: { type: 'object', properties: {} }, values: {} };
  /** The config that the latest session of the agent offered. */
  #offered: AgentSessionConfig | undefined;
  /** The version of the command's file at the last check. */
  #version: { readonly of: string; readonly found: Promise<string | undefined> } | undefined;
  /** Why the last session could not be opened. */
  #failure: string | undefined;

  constructor(agent: AcpAgentConfig, options: AcpProviderOptions) {
    this.id = agent.id;
    this.readsFolders = agent.readsFolders ?? [];
    this.#agent = agent;
    this.#options = options;
    this.#environment = options.environment ?? process.env;
    this.#log = options.log ?? (() => {});
    this.#timers = options.timers ?? processTimers;
    this.#pool = new ConnectionPool({
      start: (cwd, signal, onRunning) => this.#connect(cwd, signal, onRunning),
      timers: this.#timers,
      log: this.#log,
      idleMs: options.idleMs ?? 10 * 60_000,
    });
  }

  describe(): AgentInfo {
    return {
      provider: this.id,
      displayName: this.#agent.displayName,
      description: this.#agent.description ?? '',
      models: [...this.#models],
      // Each chat has its own session of the agent. A copied chat starts with the host's record of it.
      capabilities: {
        multipleChats: { fork: true, sideChat: true },
        // The agent finds its sessions again only in the directory that they began in.
        ...(this.#takesDirectories ? { multipleWorkingDirectories: { immutablePrimary: true } } : {}),
      },
    };
  }

  onInfoChanged(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  isInstalled(): boolean {
    return this.#file() !== undefined;
  }

  async availability(): Promise<AgentAvailability> {
    const file = this.#file();
    const { install, signIn: shown, args = [] } = this.#agent;
    if (file === undefined)
      return { available: false, reason: this.#missing, ...defined({ install, signIn: shown }) };
    const signIn = this.#signInWith(file);
    const of = identityOf(file);
    // A new version is another file, or a changed one.
    if (this.#version?.of !== of) this.#version = { of, found: this.#findVersion(file) };
    const version = await this.#version.found;
    const source = [file, ...args].join(' ');
    return { available: true, source, ...defined({ version, signIn, failure: this.#failure }) };
  }

  async resolveConfig(input: {
    workingDirectory: string;
    values: Readonly<Record<string, unknown>>;
  }): Promise<ResolvedConfig> {
    return { schema: this.#config.schema, values: { ...this.#config.values, ...input.values } };
  }

  async completeConfig({ property, query }: CompleteConfig): Promise<SessionConfigValueItem[] | undefined> {
    return this.#offered?.complete(property, query);
  }

  /** The agent must be able to open the session again, and must have been asked once. */
  canResumeTurns(memory: unknown): boolean {
    return objectOf(memory)['canReopen'] === true;
  }

  async openSession(open: OpenAgentSession, signal: AbortSignal): Promise<AgentSession> {
    // Loaded on first use: the protocol's library takes 15 MB of memory, which a host without such agents
    // does not need.
    const { AcpSession } = await import('./session/session.ts');
    const context: AcpSessionContext = {
      agent: this.#agent,
      pool: this.#pool,
      timers: this.#timers,
      log: this.#log,
      sessionTimeoutMs: this.#options.startTimeoutMs ?? 60_000,
      findToolServer: () => this.#findToolServer(),
      onOffered: (config) => this.#learn(config),
    };
    try {
      const session = await AcpSession.open(context, open, signal);
      this.#failure = undefined;
      return session;
    } catch (error) {
      // An abandoned attempt does not show that the agent has failed.
      if (!signal.aborted) this.#failure = errorText(error);
      throw error;
    }
  }

  /** Some agents store permanent permissions in their process, for all of its sessions. */
  forgetGrants(chat: string): void {
    this.#pool.retire(this.#agent.sharesProcess === false ? chat : '');
  }

  async dispose(): Promise<void> {
    await this.#pool.dispose();
    await Promise.all([...this.#processes].map((process) => process.stop()));
    const toolServer = await this.#toolServer?.catch(() => undefined);
    await toolServer?.dispose();
  }

  /** Loaded when a client offers a tool: the library takes memory that most hosts do not need. */
  #findToolServer(): Promise<ToolServer> {
    this.#toolServer ??= import('./client-tools/tool-server.ts').then(
      (module) => new module.ToolServer({ log: this.#log, timers: this.#timers }),
    );
    return this.#toolServer;
  }

  async #connect(cwd: string, signal: AbortSignal, onRunning: () => void): Promise<AcpConnection> {
    const agent = this.#agent;
    const file = this.#file();
    if (file === undefined) {
      const how = agent.install === undefined ? '' : `; \`${agent.install}\` installs it`;
      throw new AgentError('agentMissing', `${agent.displayName}: ${this.#missing}${how}`);
    }
    const { AcpConnection } = await import('./process/connection.ts');
    const process = await AgentProcess.start({
      file,
      args: agent.args ?? [],
      // Each session names its own folder.
      cwd: agent.sharesProcess === false ? cwd : sharedFolder(this.#environment['HOME']),
      env: markedEnvironment(this.#agentEnvironment()),
      name: agent.displayName,
      timers: this.#timers,
      log: this.#log,
      graceMs: this.#options.killGraceMs ?? 5_000,
    });
    this.#processes.add(process);
    void process.gone().then(() => this.#processes.delete(process));
    this.#log('info', 'agent started', { agent: this.id, pid: process.pid, file });
    // A start that hangs ends with its process.
    signal.addEventListener('abort', () => void process.stop());
    await this.#record(process, file);
    if (signal.aborted) await process.stop();
    else {
      process.begin();
      onRunning();
    }
    const connection = await AcpConnection.open({
      process,
      name: agent.displayName,
      offersReadTextFile: agent.offersReadTextFile ?? true,
      offersWriteTextFile: agent.offersWriteTextFile ?? true,
      loginHint: agent.loginHint,
      timers: this.#timers,
      log: this.#log,
      startTimeoutMs: this.#options.startTimeoutMs ?? 60_000,
      maxLineBytes: this.#options.maxLineBytes ?? DEFAULT_MAX_LINE_BYTES,
    });
    this.#learnTraits(connection.traits);
    return connection;
  }

  async #record(process: AgentProcess, file: string): Promise<void> {
    const { childRegistry } = this.#options;
    try {
      await childRegistry.record({ pid: process.pid, command: file });
    } catch (cause) {
      await process.stop();
      throw new AgentError('hostError', `the process of ${this.#agent.displayName} could not be recorded`, {
        cause,
      });
    } finally {
      void process.exited.then((end) => {
        this.#log('info', 'agent ended', { agent: this.id, pid: process.pid, end });
        childRegistry.forget(process.pid);
      });
    }
  }

  #learnTraits({ takesDirectories }: AgentTraits): void {
    if (takesDirectories === this.#takesDirectories) return;
    this.#takesDirectories = takesDirectories;
    for (const listener of this.#listeners) listener();
  }

  #learn(config: AgentSessionConfig): void {
    const models = config.models(this.id);
    this.#config = config.resolved();
    this.#offered = config;
    if (sameJson(models, this.#models)) return;
    this.#models = models;
    for (const listener of this.#listeners) listener();
  }

  async #findVersion(file: string): Promise<string | undefined> {
    return packageVersionOf(file) ?? (await runVersion(file, this.#agentEnvironment(), this.#log));
  }

  #agentEnvironment(): Record<string, string> {
    return agentEnvironment(this.#environment, this.#agent.envAllow ?? [], this.#agent.env ?? {});
  }

  #file(): string | undefined {
    const { ownCommand } = this.#options;
    const own = ownCommand === undefined ? undefined : findCommand(ownCommand, undefined);
    return own ?? findCommand(this.#agent.command, this.#environment['PATH']);
  }

  /** The command that signs in. The agent's own command is named by its path if the PATH does not have it. */
  #signInWith(file: string): string | undefined {
    const { signIn, command } = this.#agent;
    const [program, ...rest] = signIn?.split(' ') ?? [];
    if (file !== this.#options.ownCommand || program !== command) return signIn;
    return [/^[\w@%+=:,./-]+$/.test(file) ? file : `'${file.replaceAll("'", "'\\''")}'`, ...rest].join(' ');
  }

  get #missing(): string {
    return `no command ${this.#agent.command} on the PATH of the host`;
  }
}
