import type { AnnotationsHandle, SessionHandle } from '@agenthost/client';
import type { Annotation } from '@agenthost/protocol';
import { useCallback, useSyncExternalStore } from 'react';
import type { HostLink } from '../live/host-link.ts';
import { type Live, useOpened } from '../live/use-live.ts';

/** The comments of a session. */
export const useAnnotations = (link: HostLink, session: SessionHandle): Live<AnnotationsHandle> =>
  useOpened(link, `annotations ${session.uri}`, () => ({
    open: () => session.annotations(),
    close: (annotations) => annotations.dispose(),
  }));

const NONE: readonly Annotation[] = [];

/** All comments of a handle, the oldest first; none without a handle. */
export function useAllAnnotations(handle: AnnotationsHandle | undefined): readonly Annotation[] {
  const subscribe = useCallback(
    (listener: () => void) => handle?.mirror.onChange(listener) ?? (() => undefined),
    [handle],
  );
  return useSyncExternalStore(subscribe, () => handle?.all ?? NONE);
}
