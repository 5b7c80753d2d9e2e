import type { Automations, AutomationsPort } from './automations.ts';

/**
 * Opens the automations of a host [AUTO-2]. Dispose the handle after use. The code is loaded with the first call, because most programs do not
 * use it. Rejects with `RpcError` -32008 when the host has no automations, and like `subscribe`.
 *
 * @example
 * const automations = await openAutomations(client);
 * await automations.define({
 *   title: 'Nightly check',
 *   message: 'run the tests and fix what fails',
 *   triggers: [{ id: 'night', kind: 'schedule', schedule: { expression: '0 3 * * *', timeZone: 'UTC' } }],
 * });
 */
export async function openAutomations(client: AutomationsPort): Promise<Automations> {
  const { Automations: Opened } = await import('./automations.ts');
  return Opened.open(client);
}
