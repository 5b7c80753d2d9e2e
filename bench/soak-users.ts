// The users of the soak, all in one process, so that the host has the other core.
import { serve } from './process.ts';
import { SoakUser } from './soak-user.ts';

type Request =
  | { kind: 'start'; url: string; folder: string; count: number; seed: number }
  /** Answers with the count of each deed, or rejects when a user has failed. */
  | { kind: 'counts' }
  | { kind: 'stop' };

const ended = new AbortController();
let users: SoakUser[] = [];
let running: Promise<unknown> = Promise.resolve();
let failure: Error | undefined;

async function answer(request: Request): Promise<unknown> {
  if (request.kind === 'start') {
    const { url, folder, count, seed } = request;
    const shared = new Set<string>();
    users = Array.from(
      { length: count },
      (_, index) => new SoakUser({ url, folder, seed, shared, name: `user-${index}` }),
    );
    running = Promise.all(users.map((user) => user.run(ended.signal))).catch((error: unknown) => {
      failure = error instanceof Error ? error : new Error(String(error));
    });
    return {};
  }
  if (request.kind === 'stop') {
    ended.abort();
    await running;
  }
  if (failure !== undefined) throw failure;
  return { counts: total() };
}

function total(): Record<string, number> {
  const sum: Record<string, number> = {};
  for (const { counts } of users)
    for (const [deed, count] of Object.entries(counts)) sum[deed] = (sum[deed] ?? 0) + count;
  return sum;
}

serve(answer, () => ended.abort());
