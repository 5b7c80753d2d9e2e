import { useRouterState } from '@tanstack/react-router';
import { OWN_HOST } from '../live/hosts.ts';

/** Key of the session that the view shows, as the board's; `undefined` when it shows none. */
export const useShownSession = (): string | undefined =>
  useRouterState({
    select: ({ matches }) => {
      const params: Readonly<Record<string, unknown>> = matches.at(-1)?.params ?? {};
      const search: Readonly<Record<string, unknown>> = matches.at(-1)?.search ?? {};
      const session = params['session'];
      const host = search['host'];
      if (typeof session !== 'string') return undefined;
      return `${typeof host === 'string' ? host : OWN_HOST} ${session}`;
    },
  });
