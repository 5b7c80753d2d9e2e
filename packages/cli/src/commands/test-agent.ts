import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AhpClient, DispatchRejected } from '@agenthost/client';
import { errorOf, type Turn } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { withHost } from '../host-link/connect.ts';
import type { HostOptions } from '../host-link/find-host.ts';
import { errorSentence } from '../host-link/host-errors.ts';
import { folderFor } from '../input/session-options.ts';
import type { Context } from '../process/context.ts';
import { EXIT, type ExitCode } from '../process/exit.ts';
import { Interruption } from '../process/interruption.ts';
import { commandLine } from '../process/own-command.ts';
import { oneLine } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';
import { Approver } from '../run/approver.ts';
import { createRunChat, type RunChat } from '../run/run-chat.ts';
import { settled, stopped } from '../run/turn-end.ts';

/** Options of `agents test` as parsed. */
export interface TestAgentOptions extends HostOptions {
  readonly model?: string;
  /** Seconds. */
  readonly timeout?: number;
  readonly json?: boolean;
}

/** What the agent is asked. Every model can answer it, and no tool is needed. */
const PROMPT = 'Say hello in one short sentence. Do not use any tool.';

/** Default time limit, in seconds. A first start of an agent may take a minute. */
const TIMEOUT_S = 180;

interface Outcome {
  readonly text: string;
  readonly state: Turn['state'];
  readonly usage?: Turn['usage'];
  /** Why the agent did not answer. */
  readonly problem?: string;
}

/** `agents test`: runs one turn of an agent in a session and a folder of its own, and removes both. */
export async function testAgent(
  context: Context,
  screen: Screen,
  agent: string,
  options: TestAgentOptions,
): Promise<ExitCode> {
  return withHost(context, screen, options, async ({ client, target }) => {
    const interruption = new Interruption(context, { timeoutMs: (options.timeout ?? TIMEOUT_S) * 1_000 });
    const folder = target.isOwn ? await mkdtemp(join(tmpdir(), 'agenthost-test-')) : undefined;
    let opened: RunChat | undefined;
    const startedAt = performance.now();
    try {
      const cwd = folder === undefined ? undefined : await folderFor(context, folder, target);
      const chosen = { agent, config: ['approvals=none'], ...defined({ model: options.model }) };
      screen.status(`starting ${oneLine(agent)}`);
      const testing = (async () => {
        opened = await createRunChat({ context, screen, client }, chosen, [cwd]);
        return ask(opened, screen, interruption, options.model);
      })();
      let outcome: Outcome | undefined;
      await settled(
        testing.then((found) => ((outcome = found), EXIT.done)),
        interruption,
        client,
      );
      if (interruption.reason !== undefined || outcome === undefined) throw stopped(interruption);
      const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
      return report(screen, agent, { ...outcome, seconds }, options.json === true);
    } finally {
      screen.status(undefined);
      await discard(client, opened, screen);
      interruption.dispose();
      if (folder !== undefined) await rm(folder, { recursive: true, force: true });
    }
  });
}

async function ask(
  { chat, session }: RunChat,
  screen: Screen,
  interruption: Interruption,
  model: string | undefined,
): Promise<Outcome> {
  const message = { text: PROMPT, origin: { kind: 'user' as const } };
  const prompt = chat.prompt(model === undefined ? message : { ...message, model: { id: model } });
  const cancel = (): void => void prompt.cancel();
  interruption.signal.addEventListener('abort', cancel, { once: true });
  const approver = new Approver({
    mode: 'none',
    screen,
    reader: undefined,
    elsewhere: '',
    form: (requestId) => chat.inputRequest(requestId),
  });
  try {
    for await (const event of prompt) approver.handle(event);
    const turn = await prompt.result;
    const text = turn.responseParts
      .flatMap((part) => (part.kind === 'markdown' ? [part.content] : []))
      .join('\n\n')
      .trim();
    const problem = problemOf(turn, text);
    return { text, state: turn.state, ...defined({ usage: turn.usage, problem }) };
  } catch (cause) {
    const { creationError } = session.mirror.state;
    if (!(cause instanceof DispatchRejected) || creationError === undefined) throw cause;
    return { text: '', state: 'error', problem: creationError.message };
  } finally {
    approver.dispose();
    interruption.signal.removeEventListener('abort', cancel);
  }
}

function problemOf(turn: Turn, text: string): string | undefined {
  if (turn.state === 'error') return errorOf(turn)?.message ?? 'the turn failed';
  if (turn.state === 'cancelled') return 'the turn was cancelled';
  return text === '' ? 'the agent answered without text' : undefined;
}

/** Removes the session. A host that is gone cannot; the session is named then. */
async function discard(client: AhpClient, opened: RunChat | undefined, screen: Screen): Promise<void> {
  try {
    await opened?.discard();
  } catch (cause) {
    const why = cause instanceof Error ? errorSentence(cause) : String(cause);
    const line = commandLine(`sessions rm ${opened?.session.uri ?? ''}`);
    const isOnline = client.status.state === 'online';
    screen.note(
      oneLine(`agenthost: the session stays: ${why}${isOnline ? '' : ` \`${line}\` removes it`}`, 500),
    );
  }
}

function report(
  screen: Screen,
  agent: string,
  { problem, text, ...facts }: Outcome & { readonly seconds: number },
  isJson: boolean,
): ExitCode {
  const { outColors: colors, marks } = screen;
  const isWorking = problem === undefined;
  if (isJson) screen.json({ agent, isWorking, ...facts, text, ...defined({ problem }) });
  else if (isWorking) {
    screen.line(
      `${colors.green(marks.done)} ${oneLine(agent)} answered after ${facts.seconds} s: ${oneLine(text, 200)}`,
    );
  } else {
    screen.line(`${marks.failed} ${oneLine(agent)} did not answer: ${oneLine(problem, 1_000)}`);
  }
  return isWorking ? EXIT.done : EXIT.error;
}
