import type { HostTarget } from '../host-link/find-host.ts';
import { hasSession, idOf } from '../input/ids.ts';
import type { Context } from '../process/context.ts';
import { CliError, EXIT, usageError } from '../process/exit.ts';
import { oneLine } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';
import { areSeveral, askEach, everyHost, type HostAnswer, type KnownHost } from './every-host.ts';

/**
 * Searches all hosts for a session, first those on this machine. `given`: the id as typed. Resolves with `undefined` if only the host of this machine is
 * known, or if no host has the session and a host runs here: its answer is then the error. Rejects with a `CliError` if several hosts have the session, or
 * if none has it and no host runs here.
 */
export async function hostOfSession(
  context: Context,
  screen: Screen,
  given: string,
): Promise<HostTarget | undefined> {
  const hosts = await everyHost(context, screen);
  if (!areSeveral(hosts)) return undefined;
  screen.status('searching for the session');
  const problems: HostAnswer<boolean>[] = [];
  try {
    const isLocal = ({ target }: KnownHost): boolean => target.isOwn;
    for (const group of [hosts.filter(isLocal), hosts.filter((host) => !isLocal(host))]) {
      const having: HostAnswer<boolean>[] = [];
      for await (const answers of askEach(context, screen, group, (client) => hasSession(client, given))) {
        having.push(...answers.filter((answer) => 'value' in answer && answer.value));
        problems.push(...answers.filter((answer) => 'problem' in answer));
        if (having.length > 0 && isLongId(given)) break;
      }
      const [found, ...others] = having;
      if (found === undefined) continue;
      if (others.length > 0) throw severalHave(given, [found, ...others]);
      screen.status(undefined);
      if (areSeveral([found.host])) screen.note(screen.colors.dim(`on ${found.host.label}`));
      return found.host.target;
    }
  } finally {
    screen.status(undefined);
  }
  for (const answer of problems) {
    if ('problem' in answer && !answer.isAbsent)
      screen.note(`agenthost: ${answer.host.label}: ${answer.problem}`);
  }
  if (hosts.some(({ target }) => target.isOwn)) return undefined;
  const names = hosts.map(({ label }) => label).join(', ');
  throw new CliError(EXIT.error, `no session is called ${oneLine(given) || '(nothing)'} on ${names}`);
}

/** Whether an id is so long that only one session has it, so that slow hosts need no wait. Ids that clients choose may be similar. */
const isLongId = (given: string): boolean => /^[0-9a-f]{8}/i.test(idOf(given));

function severalHave(given: string, answers: readonly HostAnswer<boolean>[]): CliError {
  const areOwn = answers.every(({ host }) => host.target.isOwn);
  const options = areOwn ? '--url' : '--host';
  const names = answers.map(({ host }) => (areOwn ? host.target.url : host.label));
  return usageError(
    `several hosts have a session ${oneLine(given)}: choose one with ${options}: ${names.join(', ')}`,
  );
}
