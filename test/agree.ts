import { expect, vi } from 'vitest';

/** The state of a channel as one client has it from the host. */
interface Mirrored {
  readonly confirmed: unknown;
}

/** Waits until two clients have the same state. The host may add to it when a turn has ended, such as the count of changed lines. */
export async function agree(one: Mirrored, other: Mirrored): Promise<void> {
  await vi.waitFor(() => expect(one.confirmed).toEqual(other.confirmed), { timeout: 30_000 });
}

/** The state of a chat without its count of changed lines, which the host adds some time after the end of a turn, also after a restart. */
export const withoutChanges = <State extends object>(state: State): object => ({
  ...state,
  changes: undefined,
});
