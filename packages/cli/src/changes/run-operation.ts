import type { ChangesetHandle } from '@agenthost/client';
import { type InvokeChangesetOperationResult, textOf } from '@agenthost/protocol';
import type { Context } from '../process/context.ts';
import { CliError, EXIT } from '../process/exit.ts';
import { askYesOrNo } from '../question/yes-or-no.ts';
import { oneLine, plain } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';

/** How a command asks and tells. */
export interface Talk {
  readonly context: Context;
  readonly screen: Screen;
  readonly options: { readonly json?: boolean; readonly yes?: boolean };
}

/** Throws a `CliError` when the host does not offer an operation now. */
export function checkOffered(changes: ChangesetHandle, operationId: string, otherwise: string): void {
  if (changes.error !== undefined) throw new CliError(EXIT.error, oneLine(changes.error.message, 1_000));
  const operation = changes.operation(operationId);
  if (operation === undefined || operation.status === 'disabled') throw new CliError(EXIT.error, otherwise);
}

/** Asks in a terminal whether an operation is meant, unless the options say so. Rejects with a `CliError` after another answer than yes. */
export async function confirmed(
  { context, screen, options }: Talk,
  { lines, question, refusal }: { lines: readonly string[]; question: string; refusal: string },
): Promise<void> {
  if (options.yes === true || options.json === true || context.stdin.isTTY !== true) return;
  for (const line of lines) screen.note(line);
  if (!(await askYesOrNo(context, screen, question))) throw new CliError(EXIT.error, refusal);
}

/** Runs an operation and tells what came of it. `label`: what it does, while it runs. `advice`: what to do afterwards. */
export async function run(
  { screen, options }: Talk,
  changes: ChangesetHandle,
  { operation, label, advice }: { operation: string; label: string; advice?: string },
  start: () => Promise<InvokeChangesetOperationResult>,
): Promise<void> {
  screen.status(label);
  const { message } = await start();
  screen.status(undefined);
  const text = message === undefined ? '' : plain(textOf(message)).trim();
  if (options.json === true)
    screen.json({ type: 'operation', changeset: changes.uri, operation, message: text });
  else screen.line(text === '' ? `${operation}: done` : text);
  if (options.json !== true && advice !== undefined) screen.note(advice);
}
