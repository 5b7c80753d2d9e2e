import { ACTIVITY_MASK, SessionStatus } from '@agenthost/protocol';
import { page } from '../wire/http/status-page.ts';
import type { ListedHost, ListedSession } from './lists.ts';

/** The page that asks for the token. `to`: the path to show then. `refusal`: why the last attempt failed. */
export function signInPage(to: string, refusal?: string): string {
  return page(`<h1>Sign in to agenthost</h1>
${refusal === undefined ? '' : `<p role="alert">${escape(refusal)}</p>\n`}<form method="post" action="/sign-in">
<input type="hidden" name="to" value="${escape(to)}">
<p><label>Token of the gateway <input type="password" name="token" autocomplete="current-password" required></label>
<button>Sign in</button></p>
</form>
`);
}

/** The list of hosts and of the newest sessions of all hosts. `next`: the address of the following page. */
export function listPage({
  hosts,
  sessions,
  next,
}: {
  readonly hosts: readonly ListedHost[];
  readonly sessions: readonly ListedSession[];
  readonly next: string | undefined;
}): string {
  return page(`<h1>agenthost</h1>
<h2>Hosts</h2>
<ul>
${hosts.map(hostItem).join('\n')}
</ul>
<h2>Sessions</h2>
${sessions.length === 0 ? '<p>There are no sessions.</p>' : `<ul>\n${sessions.map(sessionItem).join('\n')}\n</ul>`}
${next === undefined ? '' : `<p><a href="${escape(next)}">Older sessions</a></p>\n`}<form method="post" action="/logout"><p><button>Sign out</button></p></form>
`);
}

function hostItem({ host, path, state, runningTurns, labels }: ListedHost): string {
  const facts = [
    state,
    ...(runningTurns > 0 ? [runningTurns === 1 ? '1 running turn' : `${runningTurns} running turns`] : []),
    ...labels,
  ];
  const name =
    state === 'down' || state === 'unreachable'
      ? escape(host)
      : `<a href="${escape(path)}">${escape(host)}</a>`;
  return `<li>${name} (${escape(facts.join(', '))})</li>`;
}

function sessionItem({ host, page: address, summary, modifiedAt }: ListedSession): string {
  const read = (key: string): unknown =>
    typeof summary === 'object' && summary !== null ? Reflect.get(summary, key) : undefined;
  const given = read('title');
  const title = (typeof given === 'string' ? given.trim() : '') || '(no title)';
  const word = wordOf(Number(read('status') ?? 0));
  const facts = [host, ...(word === undefined ? [] : [word]), modifiedAt.slice(0, 16).replace('T', ' ')];
  return `<li><a href="${escape(address)}">${escape(title)}</a> (${escape(facts.join(', '))})</li>`;
}

function wordOf(status: number): string | undefined {
  switch (status & ACTIVITY_MASK) {
    case SessionStatus.InputNeeded:
      return 'waits for you';
    case SessionStatus.InProgress:
      return 'working';
    case SessionStatus.Error:
      return 'error';
    default:
      return undefined;
  }
}

const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;').replaceAll("'", '&#39;');
