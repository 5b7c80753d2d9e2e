import type { AnnotationsHandle, ChatHandle } from '@agenthost/client';
import { type InvokeChangesetOperationResult, textOf } from '@agenthost/protocol';
import { oneLine } from '../../render/plain-text.ts';
import { type Environment, messageOf, refusalOf } from '../app/environment.ts';

/** Tells what came of an operation. `failed`: what to say first when it failed. Never rejects. */
export function done(env: Environment, failed: string, work: Promise<InvokeChangesetOperationResult>): void {
  work.then(
    ({ message }) => {
      if (message !== undefined) env.notice(oneLine(textOf(message), 300));
    },
    (error: unknown) => env.notice(`${failed}: ${messageOf(error)}`, 'problem'),
  );
}

/** Sends open comments to the agent of a chat, at once or behind the running turn. Never rejects. `ids`: default all. */
export function sendComments(
  env: Environment,
  chat: ChatHandle,
  comments: AnnotationsHandle,
  ids: readonly string[] = comments.open.map(({ id }) => id),
): void {
  const { length } = ids;
  if (length === 0) return;
  const what = length === 1 ? '1 comment' : `${length} comments`;
  chat.enqueue(comments.message('Please address these comments.', ids)).then(
    (outcome) => {
      const reason = refusalOf(outcome);
      if (reason === undefined) env.notice(`sent ${what}`);
      else env.notice(`not sent: ${reason}`, 'problem');
    },
    (error: unknown) => env.notice(`not sent: ${messageOf(error)}`, 'problem'),
  );
}

/** Tells what an operation on a worktree did, or why it was refused. Never rejects. */
export function doneInWorktree(env: Environment, failed: string, work: Promise<string>): void {
  done(
    env,
    failed,
    work.then((message) => ({ message })),
  );
}

/** Takes back what turns after this one have changed in files. Tells what came of it, and never rejects. */
export function restoreFiles(env: Environment, chat: ChatHandle, turnId: string): void {
  done(env, 'not restored', restored(chat, turnId));
}

async function restored(chat: ChatHandle, turnId: string): Promise<InvokeChangesetOperationResult> {
  const changes = await (await chat.changes()).open({ turnId });
  try {
    await changes.settled();
    if (changes.operation('restore') === undefined) throw new Error('no later turn has changed files');
    return await changes.restore();
  } finally {
    changes.dispose();
  }
}
