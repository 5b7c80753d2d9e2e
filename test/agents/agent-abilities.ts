import { type AgentPackage, agentPackages } from './agent-packages.ts';

/**
 * Behaviour of each third-party agent behind the host. The tests check every entry, limits included, and `docs/agents.md` shows the entries
 * as a table. An entry that is no longer true fails a test.
 */
export interface AgentAbilities {
  readonly displayName: string;
  /** A person sees this before approving a write: the change of the file, or only the shell command that makes it. */
  readonly asksWith: 'the change' | 'the command';
  /** After a denial the agent goes on and answers, or its turn ends. */
  readonly afterDenial: 'answers' | 'ends its turn';
  /** Whether people see the output of the agent's shell commands. */
  readonly showsOutput: boolean;
  /** Destination of a message that a person sends during a turn. */
  readonly steering: 'goes into the turn' | 'is the next turn';
  /**
   * Whether people are asked before the agent runs a tool of a client, and whether that question is about the client's call or in a call of
   * its own.
   */
  readonly clientTools:
    | 'run at once'
    | 'are asked about first'
    | 'are asked about first, in a call of its own';
  /** How a chat continues after the host restarts: the agent resumes its own session, or gets the transcript again. */
  readonly resumes: 'resumes its own session' | 'resumes its own session, or gets the transcript';
}

/** By id of the package. */
export const agentAbilities: Readonly<Record<AgentPackage['id'], AgentAbilities>> = {
  claude: {
    displayName: 'Claude Code',
    asksWith: 'the change',
    afterDenial: 'answers',
    showsOutput: true,
    clientTools: 'are asked about first',
    steering: 'is the next turn',
    resumes: 'resumes its own session',
  },
  codex: {
    displayName: 'Codex',
    asksWith: 'the command',
    afterDenial: 'ends its turn',
    showsOutput: true,
    clientTools: 'are asked about first',
    steering: 'goes into the turn',
    resumes: 'resumes its own session',
  },
  gemini: {
    displayName: 'Gemini CLI',
    asksWith: 'the change',
    afterDenial: 'answers',
    showsOutput: false,
    // Gemini gives its model tools of clients only in folders that it trusts.
    clientTools: 'are asked about first',
    steering: 'is the next turn',
    // Loading a session that began within the same minute overwrites it.
    resumes: 'resumes its own session, or gets the transcript',
  },
  opencode: {
    displayName: 'OpenCode',
    asksWith: 'the change',
    afterDenial: 'ends its turn',
    showsOutput: true,
    clientTools: 'run at once',
    steering: 'is the next turn',
    resumes: 'resumes its own session',
  },
  qwen: {
    displayName: 'Qwen Code',
    asksWith: 'the change',
    afterDenial: 'answers',
    showsOutput: true,
    // The question does not name the tool of the client.
    clientTools: 'are asked about first, in a call of its own',
    steering: 'is the next turn',
    resumes: 'resumes its own session',
  },
};

/** The table of `docs/agents.md`, in Markdown. */
export function agentTable(): string {
  const rows = agentPackages
    .toSorted((one, other) => one.id.localeCompare(other.id))
    .map(({ id, packageName, version }) => {
      const { displayName, asksWith, afterDenial, showsOutput, steering, clientTools, resumes } =
        agentAbilities[id];
      return `| ${displayName} | \`${packageName}\` ${version} | yes | yes, showing ${asksWith} | ${afterDenial} | ${showsOutput ? 'yes' : 'no'} | ${steering} | ${clientTools} | yes | ${resumes} |`;
    });
  return [
    '| agent | tested with | text streams | a write asks first | after a denial | shows what commands print | a steering message | tools of clients | cancel | after a restart of the host |',
    '|---|---|---|---|---|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}
