import { type AgentPackage, agentPackages } from './agent-packages.ts';

/**
 * What each third-party agent does with what the host offers. The tests hold every entry, limits included, and the
 * `docs/agents.md` shows them as a table: an entry that stops being true fails a test.
 */
export interface AgentAbilities {
  readonly displayName: string;
  /** What a person sees before approving a write: the change of the file, or only the shell command that will make it. */
  readonly asksWith: 'the change' | 'the command';
  /** What follows a denial: the agent goes on and answers, or its turn is over. */
  readonly afterDenial: 'answers' | 'ends its turn';
  /** Whether people see what its shell commands print. */
  readonly showsOutput: boolean;
  /** Where a message goes that a person says in the middle of a turn. */
  readonly steering: 'goes into the turn' | 'is the next turn';
  /** Whether people are asked before it runs a tool that a client offers: about the client's call, or in one of the agent's own beside it. */
  readonly clientTools:
    | 'run at once'
    | 'are asked about first'
    | 'are asked about first, in a call of its own';
  /** How a chat goes on after the host restarts: the agent resumes its own session, or gets the transcript again. */
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
    // It gives its model tools of clients only in folders that it trusts.
    clientTools: 'are asked about first',
    steering: 'is the next turn',
    // Loading overwrites what it should load when the session began within the same minute.
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
    // Its question does not say whose tool it is about.
    clientTools: 'are asked about first, in a call of its own',
    steering: 'is the next turn',
    resumes: 'resumes its own session',
  },
};

/** The table of agents of `docs/agents.md`, in Markdown. */
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
