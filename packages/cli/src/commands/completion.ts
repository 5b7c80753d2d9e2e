import type { AhpClient } from '@agenthost/client';
import type { Command } from 'commander';
import { readHosts } from '../host-link/discovery.ts';
import { namedTarget, own } from '../host-link/find-host.ts';
import { gatewayHosts } from '../host-link/gateway-hosts.ts';
import { openClient } from '../host-link/open-client.ts';
import { namedHosts } from '../hosts/host-list.ts';
import { collectSessions } from '../input/session-words.ts';
import type { Context } from '../process/context.ts';
import { CliError, EXIT, type ExitCode } from '../process/exit.ts';
import { hostsFolder } from '../process/files.ts';
import { type Candidate, complete } from '../program/completion.ts';
import { oneLine } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';

/** The output of `completion`: a script for a shell, or with `words` the candidates that the scripts ask for. */
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

/** Somebody waits for the shell. */
const LIMIT_MS = 2_000;

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
  const sessions = takesSession ? await sessionsOf(context, partial) : [];
  const hosts = takesHost ? await hostNames(context, screen, partial) : [];
  for (const { word, description } of [...hosts, ...sessions, ...candidates])
    screen.line(`${word}\t${oneLine(description, 80)}`);
  return EXIT.done;
}

/** The names of the user's list of hosts, and behind `<gateway>/` those of its hosts. */
async function hostNames(context: Context, screen: Screen, partial: string): Promise<readonly Candidate[]> {
  try {
    const hosts = await namedHosts(context);
    const gateway = hosts.find((host) => host.gateway === true && partial.startsWith(`${host.name}/`));
    if (gateway !== undefined) {
      const target = namedTarget(context, [], gateway, { starts: false, takesVariable: true });
      const { names } = await gatewayHosts(context, screen, target, { limitMs: LIMIT_MS });
      return names
        .map((name) => ({ word: `${gateway.name}/${name}`, description: gateway.url }))
        .filter(({ word }) => word.startsWith(partial));
    }
    return hosts
      .filter(({ name }) => name.startsWith(partial))
      .map(({ name, url }) => ({ word: name, description: url }));
  } catch (error) {
    if (error instanceof CliError) return [];
    throw error;
  }
}

/** The newest sessions of the only host that runs here, as far as they come within 2 s. A shell has no place for the reason why there are none. */
async function sessionsOf(context: Context, partial: string): Promise<readonly Candidate[]> {
  const found: Candidate[] = [];
  let client: AhpClient | undefined;
  const timer = setTimeout(() => client?.close(), LIMIT_MS);
  try {
    const [host, ...others] = await readHosts(hostsFolder(context));
    if (host === undefined || others.length > 0) return found;
    client = await openClient(own(context, host), {
      clientInfo: { name: 'agenthost-cli', version: context.version },
      connectTimeoutMs: LIMIT_MS,
    });
    await collectSessions(client.sessions.list(), partial, found);
    return found;
  } catch {
    // The host does not answer, or not in time: what was found by then is offered.
    return found;
  } finally {
    clearTimeout(timer);
    client?.close();
  }
}
