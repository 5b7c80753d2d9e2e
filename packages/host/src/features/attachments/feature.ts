import type { Ids } from '../../lib/clock.ts';
import type { Sync } from '../../sync/sync.ts';
import { fitLoaded } from '../../turns/contents/fit-loaded.ts';
import { MessageContents } from '../../turns/contents/message-attachments.ts';
import type { Feature } from '../feature.ts';

/** Keeps large attachments outside of state, also those that an older host stored in it. */
export function attachmentsFeature(sync: Sync, ids: Ids): Feature & { readonly attached: MessageContents } {
  const attached = new MessageContents(sync, ids);
  return { name: 'attachments', attached, observe: () => fitLoaded(sync, attached) };
}
