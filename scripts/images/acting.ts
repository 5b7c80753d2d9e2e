// What the demo agent of the pictures does in a turn: tool calls with the shapes that real agents report.

import type { DemoStage } from '@agenthost/agents';
import { endOf, terminalText } from '@agenthost/host/agent';

/** One turn of the demo agent: what a person wrote, and what the agent does. */
export interface Act {
  /** Its first word is a keyword of the agent, and no other prompt begins with it. */
  readonly prompt: string;
  /** A person allows its call, a while after it has asked. Default false. */
  readonly isApproved?: boolean;
  /** Rejects to fail the turn. */
  readonly play: (stage: DemoStage, folder: string) => Promise<void>;
}

/** A finished read. */
export async function read({ output }: DemoStage, path: string, lineCount: number): Promise<void> {
  const call = output.toolCall({ toolName: 'read_file', displayName: 'Read file', kind: 'read' });
  call.run({ invocationMessage: { markdown: `Read \`${path}\`` }, toolInput: JSON.stringify({ path }) });
  await call.complete({
    success: true,
    pastTenseMessage: { markdown: `Read \`${path}\`, ${lineCount} lines` },
  });
}

/** A finished search in the files. */
export async function search(
  { output }: DemoStage,
  pattern: string,
  found: readonly string[],
): Promise<void> {
  const call = output.toolCall({ toolName: 'grep', displayName: 'Search', kind: 'search' });
  const toolInput = JSON.stringify({ pattern });
  call.run({ invocationMessage: { markdown: `Search for \`${pattern}\`` }, toolInput });
  await call.complete({
    success: true,
    pastTenseMessage: { markdown: `Searched for \`${pattern}\`, ${found.length} matches` },
    content: [{ type: 'text', text: found.join('\n') }],
  });
}

/** A plan; the number of entries that are done, and the next one is in progress. */
export async function plan(
  { output }: DemoStage,
  entries: readonly string[],
  doneCount: number,
): Promise<void> {
  const call = output.toolCall({ toolName: 'update_plan', displayName: 'Plan', kind: 'think' });
  const statusOf = (at: number): string => {
    if (at < doneCount) return 'completed';
    return at === doneCount ? 'in_progress' : 'pending';
  };
  const plan = entries.map((step, at) => ({ step, status: statusOf(at) }));
  call.run({ invocationMessage: 'Plan', toolInput: JSON.stringify({ plan }) });
  await call.complete({ success: true, pastTenseMessage: 'Updated the plan' });
}

/** A change of a file: done when `asks` is false, else once somebody allows it. Returns whether it was made. */
export async function edit(
  { output }: DemoStage,
  change: {
    readonly folder: string;
    readonly path: string;
    readonly before?: string;
    readonly after: string;
  },
  asks: boolean,
): Promise<boolean> {
  const { folder, path, before, after } = change;
  const call = output.toolCall({ toolName: 'edit_file', displayName: 'Edit file', kind: 'edit' });
  const fileEdit = output.fileEdit({
    uri: `file://${folder}/${path}`,
    after,
    ...(before === undefined ? {} : { before }),
  });
  const ready = {
    invocationMessage: { markdown: `Edit \`${path}\`` },
    toolInput: JSON.stringify({ path, content: after }),
    edits: [fileEdit],
  };
  if (asks) {
    const { approved } = await call.confirm({
      ...ready,
      confirmationTitle: `Edit ${path}?`,
      editable: true,
    });
    if (!approved) return false;
  } else call.run(ready);
  await call.complete({
    success: true,
    pastTenseMessage: { markdown: `Edited \`${path}\`` },
    content: [{ type: 'fileEdit', ...fileEdit }],
  });
  return true;
}

/** Runs a command in a terminal to its end. */
export async function run({ output, host, sessionEnd }: DemoStage, command: string): Promise<void> {
  const call = output.toolCall({ toolName: 'bash', displayName: 'Run command', kind: 'execute' });
  call.run({ invocationMessage: { markdown: `Run \`${command}\`` }, toolInput: JSON.stringify({ command }) });
  const terminal = await host.terminal({ command });
  const block = { type: 'terminal' as const, resource: terminal.uri, title: terminal.title };
  call.content([block]);
  if ((await endOf(terminal, sessionEnd)) !== 'exited') return;
  const { exitCode } = await terminal.exited;
  const { text, isTruncated } = terminalText(terminal, 16_384);
  await call.complete({
    success: exitCode === 0,
    pastTenseMessage: { markdown: `Ran \`${command}\`` },
    content: [{ ...block, result: { preview: text, truncated: isTruncated, exitCode } }],
  });
}

/** A worker that does a task in a chat of its own. */
export async function delegate(
  { output }: DemoStage,
  title: string,
  work: (output: DemoStage['output']) => Promise<void>,
): Promise<void> {
  const call = output.toolCall({ toolName: 'task', displayName: 'Worker', intention: title });
  call.run({ invocationMessage: title, toolInput: JSON.stringify({ prompt: title }) });
  const worker = output.spawnChat({ toolCallId: call.id, title, agentName: 'reviewer' });
  const turn = worker.turn(title);
  await work(turn.output);
  turn.end();
  await call.complete({ success: true, pastTenseMessage: title });
}

/** Waits until the session is closed: the turn stays in progress. */
export function forever({ sessionEnd }: DemoStage): Promise<void> {
  return new Promise((resolve) => {
    sessionEnd.addEventListener('abort', () => resolve(), { once: true });
  });
}
