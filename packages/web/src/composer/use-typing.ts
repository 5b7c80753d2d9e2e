import type { URI } from '@agenthost/protocol';
import { useEffect, useState } from 'react';
import type { HostLink } from '../live/host-link.ts';
import { usePresentHere } from '../presence/use-presence.ts';

/** A person counts as writing for this time after the last change. Milliseconds. */
const WRITING_MS = 4_000;

/** Tells other clients that the person here writes a message in this chat. Call the result at every change. */
export function useTyping(link: HostLink, chat: URI): () => void {
  const [typedAt, setTypedAt] = useState<number>();
  useEffect(() => {
    if (typedAt === undefined) return undefined;
    const timer = setTimeout(() => setTypedAt(undefined), WRITING_MS);
    return () => clearTimeout(timer);
  }, [typedAt]);
  usePresentHere(link, { typing: typedAt === undefined ? undefined : { chat } });
  return () => setTypedAt(Date.now());
}
