// A session in a git repository of its own, shown in the page.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { SessionHandle } from '@agenthost/client';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';
import { fieldOf } from './acts.ts';
import { Repository } from './repository.ts';
import { LAPTOP, type PageStage } from './stage.ts';

/** Longest time of a test: each turn and each operation runs git several times. */
export const LONG_MS = 300_000;

/** A repository of its own below the working folder of the stage. A further attempt of a test gets another one. */
export function repositoryIn({ folder }: PageStage, name: string): Repository {
  const own = existsSync(join(folder, 'work', name)) ? `${name}-again` : name;
  return new Repository(join(folder, 'work', own), join(folder, `${own}.git`));
}

/** Opens a session in a repository and shows it in the page. */
export async function openSession(
  stage: PageStage,
  repository: Repository,
  { device = LAPTOP, config = {} }: { device?: BrowserContextOptions; config?: object } = {},
): Promise<{ page: Page; uri: string }> {
  const client = await stage.client();
  const session = await client.sessions.create({
    provider: 'demo',
    workingDirectories: [repository.uri],
    config: { approvals: 'all', ...config },
  });
  const context = await stage.context(device);
  const page = await stage.open(`/s/${encodeURIComponent(session.uri)}`, { context });
  page.setDefaultTimeout(90_000);
  await fieldOf(page).waitFor();
  return { page, uri: session.uri };
}

/** Lets the agent work, and waits until the turn has ended. */
export async function work(stage: PageStage, uri: string, ...lines: string[]): Promise<void> {
  const session = await (await stage.client()).sessions.open(uri);
  const turn = session.prompt(['question text', ...lines].join('\n'));
  await letGoOn(session, turn.turnId);
  await turn.result;
}

/** Answers the question at the start of a turn when the host has recorded the files: on a slow machine the agent would be faster. */
export async function letGoOn(session: SessionHandle, turnId: string): Promise<void> {
  await expect.poll(() => session.inputRequests().length).toBe(1);
  await expect
    .poll(async () => {
      try {
        const changeset = await (await session.chat.changes()).open({ turnId });
        await changeset.settled();
        changeset.dispose();
        return changeset.status;
      } catch (error) {
        return String(error);
      }
    })
    .toBe('ready');
  await session.inputRequests()[0]?.cancel();
}
