/** Texts of the frame around all views. */
export const app = {
  name: 'agenthost',
  /** Name of this client for other clients. */
  clientTitle: 'Web page',
  storageFull:
    'The storage of this browser is full. What the host has not answered yet would be lost by a reload of the page.',
  unexpected: 'Something went wrong. The console of the browser has the details.',
  skipToContent: 'Skip to content',
  sessions: 'Sessions',
  terminals: 'Terminals',
  settings: 'Settings',
  openSidebar: 'Show sessions',
  closeSidebar: 'Hide sessions',
  sidebarWidth: 'Width of the list of sessions',
  back: 'Back',
  notFoundTitle: 'Page not found',
  notFound: 'No view has this address.',
  crashTitle: 'This view failed',
  crash: (reason: string) => `The page could not show this view: ${reason}`,
  reload: 'Reload the page',
  views: 'Views',
};
