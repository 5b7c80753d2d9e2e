import { fileURLToPath } from 'node:url';
import { ROOT_URI } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import type { ChatApp } from '../chat/app/chat-app.ts';
import { EarlyKeys } from '../chat/view/early-keys.ts';
import type { ChatWindow } from '../chat/view/window.ts';
import { withHost } from '../host-link/connect.ts';
import type { Connected } from '../host-link/connect-target.ts';
import type { HostOptions } from '../host-link/find-host.ts';
import { LOCAL_HOST } from '../hosts/host-list.ts';
import { OtherHosts } from '../hosts/other-hosts.ts';
import { findSession } from '../input/ids.ts';
import { checkAnyModel, checkModel, folderFor } from '../input/session-options.ts';
import type { Context } from '../process/context.ts';
import { CliError, EXIT, usageError } from '../process/exit.ts';
import { Interruption } from '../process/interruption.ts';
import { commandLine } from '../process/own-command.ts';
import type { Screen } from '../render/screen.ts';
import { Attachment } from '../term/attachment.ts';
import { prefixKey } from '../term/keys.ts';
import { demandWindow } from './term/attach.ts';

/** Options of `chat` as parsed. */
export interface ChatOptions extends HostOptions {
  readonly cwd?: string;
  readonly model?: string;
}

/** `chat`: sessions and their chats in a window of text, until it is left. They go on after. */
export async function chat(
  context: Context,
  screen: Screen,
  given: string | undefined,
  options: ChatOptions,
): Promise<number> {
  demandWindow(context, `\`${commandLine('run')}\` and \`watch\` work without a window`);
  if (context.env['TERM'] === 'dumb')
    throw usageError('a terminal that can move its cursor is required, and TERM is dumb');
  const early: EarlyKeys = new EarlyKeys(context.stdin, () => {
    early.dispose();
    screen.status(undefined);
    context.exitNow(EXIT.interrupted);
  });
  try {
    return await withHost(context, screen, options, (connected) =>
      showChats({ context, screen, given, options, connected, early }),
    );
  } finally {
    early.dispose();
  }
}

interface ChatParts {
  readonly context: Context;
  readonly screen: Screen;
  readonly given: string | undefined;
  readonly options: ChatOptions;
  readonly connected: Connected;
  readonly early: EarlyKeys;
}

async function showChats({ context, screen, given, options, connected, early }: ChatParts): Promise<number> {
  const { client, target } = connected;
  const found = given === undefined ? undefined : await findSession(client, given);
  const session = found?.resource;
  if (found !== undefined) await checkModel(client, options.model, found.provider);
  else await checkAnyModel(client, options.model);
  const folder = await folderFor(context, options.cwd, target);
  // React checks itself at every step except in production.
  process.env['NODE_ENV'] ??= 'production';
  // Loaded here only, so that other commands start faster.
  const [{ ChatApp }, { openWindow }] = await Promise.all([
    import('../chat/app/chat-app.ts'),
    import('../chat/view/window.ts'),
  ]);
  const interruption = new Interruption(context);
  const root = await client.subscribe(ROOT_URI);
  const parts: { window?: ChatWindow } = {};
  const showTerminalOf =
    (of: Connected) =>
    async (uri: string): Promise<void> =>
      parts.window?.suspend(() => showTerminal(context, of, uri));
  const app: ChatApp = new ChatApp({
    client,
    root,
    marks: screen.marks,
    home: context.home,
    model: options.model,
    folder: folder === undefined ? undefined : fileURLToPath(folder),
    address: new URL(target.url).host,
    leave: () => parts.window?.close(),
    copy: (text) => void context.stdout.write(clipboardText(text)),
    ...defined({ name: target.name ?? (target.isOwn ? LOCAL_HOST : undefined) }),
    showTerminal: showTerminalOf(connected),
  });
  const others = new OtherHosts(context, (label, other, otherRoot) =>
    app.addHost({
      client: other.client,
      root: otherRoot,
      name: label,
      address: new URL(other.target.url).host,
      showTerminal: showTerminalOf(other),
    }),
  );
  const close = (): void => parts.window?.close();
  interruption.signal.addEventListener('abort', close, { once: true });
  try {
    screen.status(undefined);
    // Opened before the first frame, so that keys go to the session.
    if (session !== undefined) void app.open(session);
    const { stdin, stdout, stderr } = context;
    const hasColors = screen.outColors.isColorSupported;
    parts.window = await early.handOver(() => openWindow(app, { stdin, stdout, stderr, hasColors }));
    if (options.url === undefined && options.host === undefined)
      others.open(target, (problem) => app.notice(problem, 'problem'));
    await parts.window.closed;
  } finally {
    interruption.signal.removeEventListener('abort', close);
    app.dispose();
    others.close();
    root.dispose();
    interruption.dispose();
  }
  const { status } = client;
  if (status.state === 'closed' || status.state === 'replaced') {
    throw new CliError(EXIT.cannotConnect, `lost the connection to the host: ${status.error.message}`);
  }
  return interruption.reason?.exitCode ?? EXIT.done;
}

/** The sequence that puts text on the clipboard. Terminals without support ignore it. */
const clipboardText = (text: string): string => `\u001b]52;c;${Buffer.from(text).toString('base64')}\u0007`;

/** Shows a terminal of the host in the whole window until it is left. */
async function showTerminal(context: Context, { client, target }: Connected, uri: string): Promise<void> {
  const terminal = await client.terminal(uri);
  const attachment = new Attachment({
    context,
    client,
    target,
    terminal,
    prefix: prefixKey('ctrl-]'),
    claims: false,
  });
  try {
    await attachment.run();
    await attachment.release();
  } finally {
    terminal.close();
    // A paused input stops reading in a later tick. The next reader must not start before.
    await new Promise((resolve) => setImmediate(resolve));
  }
}
