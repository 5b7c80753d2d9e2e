import type { AhpClient } from '@agenthost/client';
import type { AuthRequiredParams } from '@agenthost/protocol';
import { Emitter } from '../live/emitter.ts';
import type { HostLink } from '../live/host-link.ts';

/** A sign-in that a host has asked this page for. */
export interface WantedSignIn extends Pick<AuthRequiredParams, 'resource' | 'reason'> {
  readonly link: HostLink;
}

const changed = new Emitter();
let wanted: readonly WantedSignIn[] = [];

/** Calls `listener` after a change of `wantedSignIns`. Returns a function that removes it. */
export const onWantedSignIns = changed.add;

/** The sign-ins that hosts wait for, one for each resource of a host, oldest first. */
export const wantedSignIns = (): readonly WantedSignIn[] => wanted;

/** The clients whose requests are heard. */
const followed = new WeakSet<AhpClient>();

/** Hears the requests of a host from now on, until its client is closed. A request takes the place of an earlier one for the same resource. */
export function followSignIns(link: HostLink): void {
  const { client } = link;
  if (client === undefined || followed.has(client)) return;
  followed.add(client);
  client.onNotification('auth/required', ({ resource, reason }) => {
    wanted = [
      ...without(link, resource.resource),
      { link, resource, ...(reason === undefined ? {} : { reason }) },
    ];
    changed.emit();
  });
}

/** Removes the sign-in for a resource: it was made, or the person does not want it. */
export function dropSignIn(link: HostLink, resource: string): void {
  wanted = without(link, resource);
  changed.emit();
}

const without = (link: HostLink, resource: string): readonly WantedSignIn[] =>
  wanted.filter((each) => each.link !== link || each.resource.resource !== resource);
