import type { Command } from 'commander';
import { withHost } from '../host-link/connect.ts';
import { namedHosts } from '../hosts/host-list.ts';
import { shortId } from '../input/ids.ts';
import type { Context } from '../process/context.ts';
import { CliError, EXIT, type ExitCode } from '../process/exit.ts';
import { type Candidate, complete } from '../program/completion.ts';
import { oneLine } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';

/** What `completion` prints: a script for a shell, or the candidates that the scripts ask for. */
export type CompletionKind = 'bash' | 'zsh' | 'fish' | 'words';

const BASH = `_agenthost() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    COMPREPLY+=("\${line%%$'\\t'*}")
  done < <(agenthost completion words -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _agenthost agenthost
`;

const ZSH = `#compdef agenthost
_agenthost() {
  local line
  local -a found
  for line in "\${(@f)$(agenthost completion words -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    [[ -n $line ]] && found+=("\${\${line//:/\\\\:}/$'\\t'/:}")
  done
  if (( \${#found} )); then _describe agenthost found; else _files; fi
}
compdef _agenthost agenthost
`;

const FISH = `complete -c agenthost -a '(agenthost completion words -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'
`;

/** Sessions that are offered. */
const MAX_SESSIONS = 30;

/** `completion`: prints the script of a shell, or with `words` what can stand in the place of the last word. */
export async function completion(
  context: Context,
  screen: Screen,
  program: Command,
  asked: { readonly kind: CompletionKind; readonly words: readonly string[] },
): Promise<ExitCode> {
  switch (asked.kind) {
    case 'bash':
      screen.text(BASH);
      return EXIT.done;
    case 'zsh':
      screen.text(ZSH);
      return EXIT.done;
    case 'fish':
      screen.text(FISH);
      return EXIT.done;
    case 'words':
      return printWords(context, screen, program, asked.words);
    default:
      return asked.kind satisfies never;
  }
}

async function printWords(
  context: Context,
  screen: Screen,
  program: Command,
  words: readonly string[],
): Promise<ExitCode> {
  const { candidates, takesSession, takesHost } = complete(program, words);
  const partial = words.at(-1) ?? '';
  const sessions = takesSession ? await sessionsOf(context, screen, partial) : [];
  const hosts = takesHost ? await hostNames(context, partial) : [];
  for (const { word, description } of [...hosts, ...sessions, ...candidates])
    screen.line(`${word}\t${oneLine(description, 80)}`);
  return EXIT.done;
}

/** The names of the user's list of hosts. */
async function hostNames(context: Context, partial: string): Promise<readonly Candidate[]> {
  try {
    const hosts = await namedHosts(context);
    return hosts
      .filter(({ name }) => name.startsWith(partial))
      .map(({ name, url }) => ({ word: name, description: url }));
  } catch (error) {
    if (error instanceof CliError) return [];
    throw error;
  }
}

/** The newest sessions of the host that runs here. A shell has no place for the reason why there are none. */
async function sessionsOf(context: Context, screen: Screen, partial: string): Promise<readonly Candidate[]> {
  try {
    return await withHost(context, screen, {}, async ({ client }) => {
      const found: Candidate[] = [];
      for await (const { resource, title } of client.sessions.list()) {
        const word = shortId(resource);
        if (word.startsWith(partial)) found.push({ word, description: title });
        if (found.length === MAX_SESSIONS) break;
      }
      return found;
    });
  } catch (error) {
    if (error instanceof CliError) return [];
    throw error;
  }
}
