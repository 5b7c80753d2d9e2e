import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';
import type { PanelAddress } from './panel-address.ts';

/** The workspace in the address of the shown session. */
export interface Panel extends PanelAddress {
  /** Changes the address. `replace`: without a new entry of the browser's history. */
  readonly show: (change: PanelAddress, options?: { readonly replace?: boolean }) => void;
}

/** Reads and changes what the workspace shows. */
export function usePanel(): Panel {
  const { session } = useParams({ from: '/s/$session' });
  const search = useSearch({ from: '/s/$session' });
  const navigate = useNavigate();
  const show = useCallback<Panel['show']>(
    (change, { replace = false } = {}) =>
      void navigate({
        to: '/s/$session',
        params: { session },
        search: (before) => ({ ...before, ...change }),
        replace,
      }),
    [navigate, session],
  );
  const { panel, changes, of, after, file, line } = search;
  return { panel, changes, of, after, file, line, show };
}
