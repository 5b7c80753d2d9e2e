import { type Annotation, type AnnotationAnchor, findById } from '@agenthost/protocol';
import type { Channel } from './channel.ts';
import type { Tx } from './tx.ts';

type Annotations = Channel<'annotations'>;

/** The anchor of an annotation, also one that clients must not see. `undefined`: its lines are not followed. */
export const anchorOf = (channel: Annotations, annotation: Annotation): AnnotationAnchor | undefined =>
  annotation['x-anchor'] ?? hiddenAnchorOf(channel, annotation.id);

/** The anchor of an annotation that clients must not see. `undefined`: none. */
export const hiddenAnchorOf = ({ hostData }: Annotations, id: string): AnnotationAnchor | undefined =>
  findById(hostData.hiddenAnchors, id)?.anchor;

/** Sets the anchor of an annotation that clients must not see; `undefined` removes it. */
export function setHiddenAnchor(
  tx: Tx,
  channel: Annotations,
  id: string,
  anchor: AnnotationAnchor | undefined,
): void {
  if (hiddenAnchorOf(channel, id) === anchor) return;
  const { hiddenAnchors = [], ...hostData } = channel.hostData;
  const others = hiddenAnchors.filter((each) => each.id !== id);
  const all = anchor === undefined ? others : [...others, { id, anchor }];
  tx.setHostData(channel, { ...hostData, ...(all.length > 0 && { hiddenAnchors: all }) });
}
