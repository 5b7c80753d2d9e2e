import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { type PanelAddress, panelAddress } from '../workspace/panel-address.ts';
import { basePath } from './paths.ts';
import { NotFound, ViewFailed } from './route-states.tsx';
import { Shell } from './shell.tsx';

const rootRoute = createRootRoute({ component: Shell, notFoundComponent: NotFound });

const stringOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/** Which host a view shows; absent: the page's own. */
interface HostSearch {
  readonly host?: string | undefined;
}

/** All sessions, or an overview beside them. */
const boardRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  component: lazyRouteComponent(() => import('../board/home-view.tsx'), 'HomeView'),
});

/**
 * A session with its chats: `/s/<session URI>?chat=<chat URI>&ask=<id of a question>&turn=<turn id>`. The workspace beside the chat:
 * `?panel=changes&changes=turn&of=<turn id>&file=<file URI>`, `?panel=files&file=<file URI>&line=<number>`, `?panel=comments`.
 */
const sessionRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/s/$session',
  validateSearch: (
    search: Record<string, unknown>,
  ): HostSearch &
    PanelAddress & {
      readonly chat?: string | undefined;
      readonly ask?: string | undefined;
      readonly turn?: string | undefined;
    } => ({
    ...panelAddress(search),
    host: stringOf(search['host']),
    chat: stringOf(search['chat']),
    ask: stringOf(search['ask']),
    turn: stringOf(search['turn']),
  }),
  component: lazyRouteComponent(() => import('../chat/session-view.tsx'), 'SessionView'),
});

/** The form for a new session: `/new?folder=<file URI>&message=<first message>`. */
const newRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/new',
  validateSearch: (
    search: Record<string, unknown>,
  ): HostSearch & { readonly folder?: string | undefined; readonly message?: string | undefined } => ({
    host: stringOf(search['host']),
    folder: stringOf(search['folder']),
    message: stringOf(search['message']),
  }),
  component: lazyRouteComponent(() => import('../board/new-session-view.tsx'), 'NewSessionView'),
});

/** All terminals: `/terminals?open=<terminal URI>`. */
const terminalsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/terminals',
  validateSearch: (search: Record<string, unknown>): HostSearch & { readonly open?: string | undefined } => ({
    host: stringOf(search['host']),
    open: stringOf(search['open']),
  }),
  component: lazyRouteComponent(() => import('../terminal/terminals-view.tsx'), 'TerminalsView'),
});

/** Automations: `/automations?open=<automation URI>&form=new`. */
const automationsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/automations',
  validateSearch: (
    search: Record<string, unknown>,
  ): HostSearch & { readonly open?: string | undefined; readonly form?: string | undefined } => ({
    host: stringOf(search['host']),
    open: stringOf(search['open']),
    form: stringOf(search['form']),
  }),
  component: lazyRouteComponent(() => import('../automations/automations-view.tsx'), 'AutomationsView'),
});

/** Settings: `/settings/agents`. Authorization servers return to `/settings/signed-in?state=<id>&code=<code>`. */
const settingsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/settings/{-$section}',
  validateSearch: (search: Record<string, unknown>): HostSearch => ({ host: stringOf(search['host']) }),
  component: lazyRouteComponent(() => import('../settings/settings-view.tsx'), 'SettingsView'),
});

/** The page's addresses. */
export const router = createRouter({
  routeTree: rootRoute.addChildren([
    boardRoute,
    sessionRoute,
    newRoute,
    terminalsRoute,
    automationsRoute,
    settingsRoute,
  ]),
  basepath: basePath(),
  defaultPreload: 'intent',
  defaultErrorComponent: ViewFailed,
  // Values in the address stay readable texts, without JSON quotes.
  parseSearch: (search) => Object.fromEntries(new URLSearchParams(search)),
  stringifySearch: (search) => {
    const pairs = Object.entries(search).filter(
      (pair): pair is [string, string] => typeof pair[1] === 'string',
    );
    return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
  },
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
