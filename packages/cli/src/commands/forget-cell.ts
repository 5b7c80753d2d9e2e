import type { Context } from '../process/context.ts';
import { CliError, EXIT, type ExitCode, usageError } from '../process/exit.ts';
import { askYesOrNo } from '../question/yes-or-no.ts';
import { oneLine } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';

/** Options of `gateway forget` as parsed. */
export interface ForgetCellOptions {
  readonly journal?: string;
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** `gateway forget`: removes a cell that no host holds from the database, with its sessions. Asks first, unless `yes` is given. */
export async function forgetCell(
  context: Context,
  screen: Screen,
  name: string,
  { journal, yes, json }: ForgetCellOptions,
): Promise<ExitCode> {
  if (journal === undefined) throw usageError('--journal is required: the database of the hosts');
  const { freeCell } = await import('../serve/forget-cell.ts');
  const password = context.env['AGENTHOST_JOURNAL_PASSWORD'] || undefined;
  const cell = freeCell(name, { journal, password });
  if (yes !== true) {
    const found = `cell ${oneLine(name)} has ${sessions(await cell.countSessions())}`;
    if (context.stdin.isTTY !== true || json === true)
      throw usageError(`${found}: --yes removes it without a question`);
    screen.note(found);
    if (!(await askYesOrNo(context, screen, 'remove it with everything in it, for everyone?')))
      throw new CliError(EXIT.error, 'nothing was removed');
  }
  screen.status(`removing ${oneLine(name)}`);
  const count = await cell.forget().finally(() => screen.status(undefined));
  if (json === true) screen.json({ type: 'forgotten', cell: name, sessions: count });
  else screen.line(`removed cell ${oneLine(name)} with ${sessions(count)}`);
  return EXIT.done;
}

const sessions = (count: number): string => (count === 1 ? '1 session' : `${count} sessions`);
