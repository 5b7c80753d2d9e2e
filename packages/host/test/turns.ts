import { turnStarted } from '@agenthost/testkit';
import type { HostFixture } from './host-fixture.ts';
import type { RawClient } from './raw-client.ts';

/** Runs whole turns. The text of each is its id. */
export async function runTurns(
  host: HostFixture,
  client: RawClient,
  chat: string,
  ids: string[],
): Promise<void> {
  for (const id of ids) {
    await client.act(chat, turnStarted(id));
    await host.run();
    void host.agent.turn.output.markdown(id);
    host.agent.turn.complete();
    await host.run();
  }
}

/** `t1` to `t<count>`. */
export const turnIds = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `t${index + 1}`);
