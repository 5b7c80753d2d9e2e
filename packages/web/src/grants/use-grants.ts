import type { AhpClient } from '@agenthost/client';
import type { ListGrantsResult } from '@agenthost/protocol';
import { useEffect } from 'react';
import type { HostLink } from '../live/host-link.ts';
import { type HostAnswer, useHostAnswer } from '../settings/use-host-answer.ts';

const askGrants = (client: AhpClient): Promise<ListGrantsResult> => client.grants.list();

/** The access to files that clients of a host have or ask for. Asked again when it changes. */
export function useGrants(link: HostLink): HostAnswer<ListGrantsResult> {
  const answer = useHostAnswer(link, askGrants);
  const { client } = link;
  const { reload } = answer;
  useEffect(() => client?.grants.onChange(() => void reload()), [client, reload]);
  return answer;
}
