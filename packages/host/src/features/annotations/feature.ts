import { type AnnotationsState, sessionOfAnnotations } from '@agenthost/protocol';
import type { AgentRegistry } from '../../agents/registry.ts';
import { agentComments } from '../../config/host-config.ts';
import type { Ids } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Rebuilt } from '../../sync/registry.ts';
import type { Sync } from '../../sync/sync.ts';
import type { ReadLines } from '../../turns/contents/annotated-files.ts';
import type { TurnParts } from '../../turns/parts.ts';
import type { HostTools } from '../../turns/tools/host-tools.ts';
import type { Feature } from '../feature.ts';
import { Anchors } from './anchors.ts';
import { commentTools } from './comment-tools.ts';
import { annotationsModule } from './module.ts';

/** Annotations of the files of each session [ANN-1] [ANN-20]. */
export function annotationsFeature(parts: {
  readonly sync: Sync;
  readonly readLines: ReadLines;
  readonly log: Log;
  readonly ids: Ids;
  readonly agents: AgentRegistry;
  readonly hostTools: HostTools;
  readonly workingDirectoryOf: TurnParts['workingDirectoryOf'];
}): Feature {
  const { sync } = parts;
  const anchors = new Anchors(parts);
  return {
    name: 'annotations',
    channel: { annotations: annotationsModule(parts) },
    observe: () => {
      sync.registry.onMissing((uri) => emptyAnnotations(sync, uri));
      anchors.observe();
      parts.hostTools.add(commentTools(parts), () => agentComments(sync.root.state.config));
    },
    stop: () => anchors.stop(),
  };
}

const EMPTY: AnnotationsState = { annotations: [] };

/** The annotations of a session that nobody has annotated yet. They are there as long as the session, and have no row. */
async function emptyAnnotations(
  { registry }: Sync,
  uri: string,
): Promise<Rebuilt<'annotations'> | undefined> {
  const session = sessionOfAnnotations(uri);
  const channel = session === undefined ? undefined : await registry.openOf('session', session);
  if (session === undefined || channel?.isAlive !== true) return undefined;
  return {
    init: { uri, kind: 'annotations', session, state: EMPTY, hostData: {} },
    seq: channel.hostData.bornSeq ?? 0,
  };
}
