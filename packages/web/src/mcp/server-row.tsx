import type { McpServers } from '@agenthost/client';
import type { McpServerInfo, URI } from '@agenthost/protocol';
import { reporting, reportOutcome } from '../chat/report-outcome.ts';
import { mcpText } from '../text/mcp-text.ts';
import { Button } from '../ui/button.tsx';
import { classes } from '../ui/class-names.ts';
import { SafeText } from '../ui/safe-text.tsx';
import { ServerDetails } from './server-details.tsx';
import type { useSignIn } from './use-sign-in.ts';

interface ServerRowProps {
  readonly info: McpServerInfo;
  readonly session: URI;
  readonly servers: McpServers;
  readonly signIn: ReturnType<typeof useSignIn>;
  readonly reload: () => void;
}

const TONES: Readonly<Record<McpServerInfo['state']['kind'], string>> = {
  starting: 'text-muted',
  ready: 'text-ok',
  authRequired: 'text-warn',
  error: 'text-danger',
  stopped: 'text-muted',
};

/** One MCP server with its buttons. */
export function ServerRow(props: ServerRowProps) {
  const { info, signIn } = props;
  const { name, runs, state, source, plugin, tools, log } = info;
  const from = source === 'plugin' ? mcpText.ofPlugin(plugin ?? '') : mcpText.sources[source];
  const running = signIn.running?.id === info.id ? signIn.running : undefined;
  return (
    <li className="flex flex-col gap-2 px-4 py-3">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 basis-48">
          <p className="flex flex-wrap items-baseline gap-x-2">
            <span className="font-medium">
              <SafeText>{name}</SafeText>
            </span>
            <span className={classes('text-sm', TONES[state.kind])}>{mcpText.states[state.kind]}</span>
            <span className="text-xs text-muted">
              <SafeText>{from}</SafeText>
            </span>
          </p>
          <p className="font-mono text-xs break-all text-muted">
            <SafeText>{runs}</SafeText>
          </p>
        </div>
        <div className="flex flex-wrap gap-2">
          <Actions {...props} />
        </div>
      </div>
      <Note info={info} />
      {running !== undefined && (
        <p role="status" className="text-sm text-muted">
          {running.url === undefined ? (
            mcpText.waiting
          ) : (
            <a className="underline" href={running.url} target="_blank" rel="noopener noreferrer">
              {mcpText.openSignIn}
            </a>
          )}
        </p>
      )}
      <ServerDetails name={name} tools={tools} log={log} />
    </li>
  );
}

/** Why the server does not run. */
function Note({ info: { state, source, decision } }: Pick<ServerRowProps, 'info'>) {
  const text =
    state.kind === 'error'
      ? state.error.message
      : state.kind === 'authRequired'
        ? mcpText.needsToken(state.resource.resource_name ?? state.resource.resource)
        : decision === 'refused'
          ? mcpText.refused
          : source !== 'host' && decision === undefined && state.kind === 'stopped'
            ? mcpText.undecided
            : undefined;
  if (text === undefined) return undefined;
  return (
    <p
      className={classes(
        'text-sm break-words whitespace-pre-wrap',
        state.kind === 'error' ? 'text-danger' : 'text-muted',
      )}
    >
      <SafeText>{text}</SafeText>
    </p>
  );
}

function Actions({ info, session, servers, signIn, reload }: ServerRowProps) {
  const { id, name, state, decision } = info;
  const button = (what: string, run: () => Promise<void> | void, look: 'plain' | 'primary' = 'plain') => (
    <Button
      key={what}
      size="small"
      look={look}
      aria-label={mcpText.act(what, name)}
      onClick={() => void run()}
    >
      {what}
    </Button>
  );
  const decide = (what: string, chosen: 'allowed' | 'refused') => (): void =>
    void reporting(what, async () => {
      await servers.decide(session, info, chosen);
      reload();
    });
  const start = () => reportOutcome(mcpText.start, servers.start(session, id));
  const stop = () => reportOutcome(mcpText.stop, servers.stop(session, id));
  const allow = button(mcpText.allow, decide(mcpText.allow, 'allowed'), 'primary');
  if (
    info.source !== 'host' &&
    decision !== 'allowed' &&
    (state.kind === 'stopped' || state.kind === 'error')
  )
    return decision === undefined
      ? [allow, button(mcpText.refuse, decide(mcpText.refuse, 'refused'))]
      : allow;
  switch (state.kind) {
    case 'stopped':
    case 'error':
      return button(mcpText.start, start);
    case 'starting':
      return [
        ...(state.blocking === true
          ? [
              button(mcpText.background, () =>
                reportOutcome(mcpText.background, servers.background(session, id)),
              ),
            ]
          : []),
        button(mcpText.stop, stop),
      ];
    case 'authRequired':
      return [button(mcpText.signIn, () => signIn.begin(id), 'primary'), button(mcpText.stop, stop)];
    case 'ready':
      return [
        button(mcpText.restart, async () => {
          await stop();
          await start();
        }),
        button(mcpText.stop, stop),
      ];
    default:
      return state satisfies never;
  }
}
