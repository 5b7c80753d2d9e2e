import { pathToFileURL } from 'node:url';
import type { ToolCallAnswer, ToolCallHandle, ToolCallQuestion } from '@agenthost/host/agent';
import type { ConfirmationOption, FileEdit, ToolCallResult, ToolResultContent } from '@agenthost/protocol';
import { defined, errorText } from '@agenthost/protocol/values';
import { DEFAULT_EVERY_MS, pieces, type Scene, speak } from './scene.ts';
import type { AskForm } from './step.ts';
import { pause } from './timers.ts';

/** Allows a call once. */
export const ALLOW_ONCE: ConfirmationOption = {
  id: 'allow-once',
  label: 'Allow once',
  kind: 'approve',
  group: 1,
};
const ALLOW_FOR_TURN: ConfirmationOption = {
  id: 'allow-for-turn',
  label: 'Allow for this turn',
  kind: 'approve',
  group: 1,
};
const ALLOW_ALWAYS: ConfirmationOption = {
  id: 'allow-always',
  label: 'Always allow',
  kind: 'approve',
  group: 1,
};
/** Denies a call. */
export const DENY: ConfirmationOption = { id: 'deny', label: 'Deny', kind: 'deny', group: 2 };
const DENY_AND_STOP: ConfirmationOption = { id: 'deny-stop', label: 'Deny and stop', kind: 'deny', group: 2 };

/** `write` and `edit`: changes a file only after approval, and only inside the working directory. */
export async function changeFile(
  scene: Scene,
  step: { kind: 'write' | 'edit'; path: string; text: string },
): Promise<void> {
  const isNew = step.kind === 'write';
  const call = scene.output.toolCall({
    toolName: isNew ? 'write_file' : 'edit_file',
    displayName: isNew ? 'Write file' : 'Edit file',
    kind: 'edit',
    intention: `${isNew ? 'Write' : 'Edit'} ${step.path}`,
  });
  await attempt(scene, call, `${isNew ? 'Write' : 'Edit'} ${step.path}`, async (progress) => {
    const before = await scene.folder.read(step.path);
    if (!isNew && before === undefined) throw new Error(`${step.path} does not exist`);
    const wanted = { path: step.path, content: isNew ? newText(step) : added(before ?? '', step.text) };
    const toolInput = JSON.stringify(wanted);
    await streamInput(scene, call, toolInput);

    const question: ToolCallQuestion = {
      invocationMessage: { markdown: `${isNew ? 'Write' : 'Edit'} \`${step.path}\`` },
      confirmationTitle: `${isNew ? 'Write' : 'Edit'} ${step.path}?`,
      toolInput,
      edits: [fileEdit(scene, wanted, before)],
      editable: true,
      options: [ALLOW_ONCE, DENY],
    };
    let input = wanted;
    if (scene.asksBeforeWriting) {
      const given = await call.confirm(question);
      scene.signal.throwIfAborted();
      if (!given.approved)
        return speak(scene, 'markdown', refused(given, `\`${step.path}\` stays as it is.`));
      progress.isRunning = true;
      input = parseInput(given.toolInput ?? toolInput);
    } else {
      call.run(question);
      progress.isRunning = true;
    }

    // The answer may have taken days, so the present content is what is replaced.
    const replaced = await scene.folder.read(input.path);
    await scene.folder.write(input.path, input.content);
    await call.complete({
      success: true,
      pastTenseMessage: { markdown: `Wrote \`${input.path}\`` },
      content: [{ type: 'fileEdit', ...fileEdit(scene, input, replaced) }],
    });
    return speak(scene, 'markdown', `\`${input.path}\` is written: ${input.content.length} characters.`);
  });
}

function newText(step: { path: string; text: string }): string {
  return step.text === '' ? `Written by the demo agent.\n` : `${step.text}\n`;
}

function added(before: string, text: string): string {
  const gap = before === '' || before.endsWith('\n') ? '' : '\n';
  return `${before}${gap}${text === '' ? 'Edited by the demo agent.' : text}\n`;
}

function fileEdit(scene: Scene, input: { path: string; content: string }, before?: string): FileEdit {
  const uri = pathToFileURL(scene.folder.pathOf(input.path)).href;
  return scene.output.fileEdit({ uri, after: input.content, ...defined({ before }) });
}

function parseInput(text: string): { path: string; content: string } {
  const input: unknown = JSON.parse(text);
  if (
    typeof input === 'object' &&
    input !== null &&
    'path' in input &&
    typeof input.path === 'string' &&
    'content' in input &&
    typeof input.content === 'string'
  ) {
    return { path: input.path, content: input.content };
  }
  throw new Error(`expected the strings "path" and "content", got ${text.slice(0, 80)}`);
}

/** The text after a denied call. */
export function refused(answer: ToolCallAnswer & { approved: false }, outcome: string): string {
  const suggestion = answer.suggestion ? `\n\nInstead: ${answer.suggestion.text}` : '';
  return `${answer.reason === 'denied' ? 'Denied' : 'Skipped'}. ${outcome}${suggestion}`;
}

/** `read`: without a question, because nothing changes. */
export async function readFile(scene: Scene, path: string): Promise<void> {
  const call = scene.output.toolCall({ toolName: 'read_file', displayName: 'Read file', kind: 'read' });
  await attempt(scene, call, `Read ${path}`, async (progress) => {
    call.run({ invocationMessage: { markdown: `Read \`${path}\`` }, toolInput: JSON.stringify({ path }) });
    progress.isRunning = true;
    const text = await scene.folder.read(path);
    if (text === undefined) throw new Error(`${path} does not exist`);
    await call.complete({
      success: true,
      pastTenseMessage: { markdown: `Read \`${path}\`` },
      content: textContent(text),
    });
    const lineCount = text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
    await speak(scene, 'markdown', `\`${path}\` has ${linesText(lineCount)}.`);
  });
}

/** `list`: without a question. */
export async function listFiles(scene: Scene, path: string): Promise<void> {
  const call = scene.output.toolCall({ toolName: 'list_files', displayName: 'List files', kind: 'read' });
  await attempt(scene, call, `List ${path}`, async (progress) => {
    call.run({ invocationMessage: { markdown: `List \`${path}\`` }, toolInput: JSON.stringify({ path }) });
    progress.isRunning = true;
    const names = await scene.folder.list(path);
    await call.complete({
      success: true,
      pastTenseMessage: { markdown: `Listed \`${path}\`` },
      content: textContent(names.join('\n')),
      structuredContent: { names },
    });
    await speak(scene, 'markdown', `${names.length} entries in \`${path}\`.`);
  });
}

/** `ask`: one call for each kind of question. It changes nothing. */
export async function ask(scene: Scene, form: AskForm): Promise<void> {
  const call = scene.output.toolCall({
    toolName: 'ponder',
    displayName: 'Ponder',
    kind: 'think',
    intention: 'Shows one way of asking; touches nothing',
  });
  const toolInput = JSON.stringify({ about: 'everything' });
  await streamInput(scene, call, toolInput);
  const question: ToolCallQuestion = {
    invocationMessage: 'Ponder about everything',
    confirmationTitle: 'Ponder about everything?',
    toolInput,
    ...(form === 'edit' ? { editable: true } : {}),
    ...(form === 'options' ? { options: [ALLOW_ONCE, ALLOW_FOR_TURN, DENY, DENY_AND_STOP] } : {}),
    ...(form === 'always'
      ? { options: [ALLOW_ONCE, ALLOW_ALWAYS, DENY], alwaysOptions: [ALLOW_ALWAYS.id] }
      : {}),
  };
  let given = await call.confirm(question);
  scene.signal.throwIfAborted();
  if (given.approved && form === 'twice') {
    call.content(textContent('Half way.'));
    given = await call.confirm({
      ...question,
      invocationMessage: 'Ponder some more',
      confirmationTitle: 'Half way through. Go on?',
    });
    scene.signal.throwIfAborted();
  }
  if (!given.approved) {
    const outcome = given.selectedOption
      ? `The choice was "${given.selectedOption.label}".`
      : 'No pondering, then.';
    return speak(scene, 'markdown', refused(given, outcome));
  }
  const { approved } = await call.complete(
    { success: true, pastTenseMessage: 'Pondered', content: textContent(given.toolInput ?? toolInput) },
    form === 'result' ? { requiresResultConfirmation: true } : {},
  );
  scene.signal.throwIfAborted();
  const choice = given.selectedOption ? ` The choice was "${given.selectedOption.label}".` : '';
  return speak(scene, 'markdown', approved ? `Pondered.${choice}` : 'The result was denied and is not used.');
}

/** `big`: output that is too large for the state. */
export async function bigOutput(scene: Scene, kibibytes: number): Promise<void> {
  const call = scene.output.toolCall({ toolName: 'print_lines', displayName: 'Print lines' });
  call.run({
    invocationMessage: `Print ${kibibytes} KiB`,
    toolInput: JSON.stringify({ kibibytes }),
  });
  // 64 lines of 16 bytes are one KiB.
  const lines = Array.from(
    { length: kibibytes * 64 },
    (_, index) => `line ${String(index + 1).padStart(10, '0')}\n`,
  );
  await call.complete({
    success: true,
    pastTenseMessage: `Printed ${kibibytes} KiB`,
    content: textContent(lines.join('')),
  });
  await speak(scene, 'markdown', `${linesText(lines.length)} printed.`);
}

/** `progress`: partial output that grows while the call runs. */
export async function progress(
  scene: Scene,
  step: { stepCount: number; everyMs: number | undefined },
): Promise<void> {
  const call = scene.output.toolCall({ toolName: 'work', displayName: 'Work' });
  call.run({ invocationMessage: `Work in ${step.stepCount} steps`, toolInput: JSON.stringify(step) });
  const done: string[] = [];
  for (let number = 1; number <= step.stepCount; number += 1) {
    await pause(scene.timers, step.everyMs ?? (scene.isPaced ? DEFAULT_EVERY_MS : 0), scene.signal);
    done.push(`step ${number} of ${step.stepCount}`);
    call.content(textContent(done.join('\n')));
    await scene.output.ready();
  }
  await call.complete({
    success: true,
    pastTenseMessage: `Worked in ${step.stepCount} steps`,
    content: textContent(done.join('\n')),
  });
}

async function streamInput(scene: Scene, call: ToolCallHandle, toolInput: string): Promise<void> {
  for (const piece of pieces(toolInput, scene.random)) {
    scene.signal.throwIfAborted();
    await call.input(piece);
  }
}

/** A failure of a tool becomes its result; a cancelled turn is an error. */
async function attempt(
  scene: Scene,
  call: ToolCallHandle,
  what: string,
  run: (progress: { isRunning: boolean }) => Promise<void>,
): Promise<void> {
  const progress = { isRunning: false };
  try {
    await run(progress);
  } catch (cause) {
    if (scene.signal.aborted) throw cause;
    const message = errorText(cause);
    if (!progress.isRunning) call.run({ invocationMessage: what });
    await call.complete(failure(what, message));
    await speak(scene, 'markdown', `${what} failed: ${message}.`);
  }
}

function failure(what: string, message: string): ToolCallResult {
  return {
    success: false,
    pastTenseMessage: `${what} failed`,
    content: textContent(message),
    error: { message },
  };
}

function textContent(text: string): ToolResultContent[] {
  return [{ type: 'text', text }];
}

const linesText = (count: number): string => (count === 1 ? '1 line' : `${count} lines`);
