import { channelUri } from '@agenthost/protocol';
import { defined, errorText } from '@agenthost/protocol/values';
import type { AgentTerminal, AgentTerminalStart } from '../../agents/agent-terminal.ts';
import { AgentError } from '../../agents/errors.ts';
import { beginningOf } from '../../lib/beginning-of.ts';
import { isInUse } from '../claims.ts';
import { shownTitle } from '../output/output-writer.ts';
import type { TerminalRunner } from '../output/terminal-runner.ts';
import type { TerminalParts } from '../parts.ts';
import type { NewTerminal } from '../service.ts';
import { shellOf } from '../start/launch.ts';
import { LiveAgentTerminal } from './live-agent-terminal.ts';

/** Limit of a title that is made from a command, in UTF-16 code units. */
const COMMAND_TITLE_LENGTH = 80;
const SIZE = { cols: 80, rows: 24 } as const;

/** Functions of `Terminals` for the terminals of agents. */
export interface TerminalStarter {
  create(terminal: NewTerminal): Promise<void>;
  /** The runner of a terminal; `undefined` after its process has ended. */
  runner(uri: string): TerminalRunner | undefined;
  /** Removes a terminal on behalf of the host. Its output is kept for the history of the turn that used it [CHAT-37]. */
  remove(uri: string): Promise<void>;
}

/** The terminals that agents have started and not released. */
export class AgentTerminals {
  readonly #parts: TerminalParts;
  readonly #starter: TerminalStarter;
  readonly #live = new Map<string, LiveAgentTerminal>();

  constructor(parts: TerminalParts, starter: TerminalStarter) {
    this.#parts = parts;
    this.#starter = starter;
    parts.sync.observe('terminal', (tx, { channel, before, after, origin }) => {
      const { claim: was } = before;
      const { claim } = after;
      if (origin === undefined || was === claim || was.kind !== 'session' || !isInUse(was)) return;
      if (claim.kind !== 'session' || isInUse(claim)) return;
      const terminal = this.#live.get(channel.uri);
      tx.effect(() => terminal?.sentToBackground());
    });
  }

  /** Starts a command for an agent. Rejects with `AgentError` when it cannot be started. */
  async start(
    owner: { readonly session: string; readonly chat: string; readonly workingDirectory: string },
    start: AgentTerminalStart,
  ): Promise<AgentTerminal> {
    const { command, env, use } = start;
    const uri = channelUri('terminal', this.#parts.ids.next());
    const title = shownTitle(start.title ?? titleOfCommand(command)) || 'terminal';
    try {
      await this.#starter.create({
        uri,
        claim: { kind: 'session', session: owner.session, chat: owner.chat, ...use },
        title,
        cwd: start.cwd ?? owner.workingDirectory,
        ...SIZE,
        command: typeof command === 'string' ? [shellOf(this.#parts.settings), '-c', command] : command,
        ...defined({ env }),
      });
    } catch (error) {
      const message = errorText(error);
      throw new AgentError('hostError', message, { cause: error });
    }
    return this.#follow(uri, owner.chat, title);
  }

  #follow(uri: string, chat: string, title: string): AgentTerminal {
    const channel = this.#parts.sync.registry.getOf('terminal', uri);
    const runner = this.#starter.runner(uri);
    if (channel === undefined || runner === undefined)
      throw new AgentError('hostError', 'The terminal was removed during its start');
    const terminal = new LiveAgentTerminal({
      sync: this.#parts.sync,
      channel,
      runner,
      chat,
      title,
      remove: () => this.#starter.remove(uri),
      released: () => this.#live.delete(uri),
    });
    this.#live.set(uri, terminal);
    return terminal;
  }
}

function titleOfCommand(command: AgentTerminalStart['command']): string {
  const line = (typeof command === 'string' ? command : command.join(' ')).trim().replaceAll(/\s+/g, ' ');
  return line.length > COMMAND_TITLE_LENGTH ? `${beginningOf(line, COMMAND_TITLE_LENGTH - 1)}…` : line;
}
