import type { Ids } from '../../lib/clock.ts';
import type { Sync } from '../../sync/sync.ts';
import { AttachmentStore } from '../../turns/contents/attachment-store.ts';
import { fitLoaded } from '../../turns/contents/fit-loaded.ts';
import type { Feature } from '../feature.ts';

/** Keeps large attachments outside of state, including those that an older host stored in state. */
export function attachmentsFeature(
  sync: Sync,
  ids: Ids,
): Feature & { readonly attachments: AttachmentStore } {
  const attachments = new AttachmentStore(sync, ids);
  return { name: 'attachments', attachments, observe: () => fitLoaded(sync, attachments) };
}
